"""The grid: noise and sums are whole multiples of one tiny step, so that float bits prove nothing.

A float `sum + noise` has holes: some outputs can be reached from one table and not from its neighbour
(Mironov 2012). So the sum is rounded to whole multiples of `step`, and the noise too, and whole numbers are
added.

Proof that a step is the Gaussian mechanism of the plan's multiplier. Let C be the plan's clip, S = m C its
sensitivity (m is 1, or 2 sqrt(k) for batch clipping of k groups), d the number of parameters, h the step.
1. Records are clipped to c = `inner` = (1 - 2^-8) C - h sqrt(d), so neighbouring exact sums x, x' differ by
   at most m c (1 + e), where e is the relative error of computed norms and products. TF32 cuts both factors
   of a product to 10 bits, so it errs by less than 2^-9; float32 norms, summed in blocks of up to 10^4 terms,
   by less than 2^-10. So (1 - 2^-8)(1 + e) < 1.
2. Rounding moves each coordinate by at most h / 2, at both ends: |round(x) - round(x')| <= m c (1 + e) + h
   sqrt(d) <= m C, as m >= 1. So the rounded sums, as points of the grid, have sensitivity at most S.
3. round(x) + h round(s z / h) = h round((round(x) + s z) / h), as round(x) is a multiple of h: what is
   released is a function of the Gaussian mechanism's output on round(x), with s = `deviation`.
   Post-processing costs nothing.
4. The addition is exact as far as privacy goes: both terms are whole numbers that float32 holds exactly,
   and a correctly rounded sum of two floats is a function of their exact sum. The same holds for the final
   scaling.
5. The noise has no pattern at the scale of the grid: z is the product of a float64 radius and a float32
   cosine, so s z / h < 2^24 is known to 2^-28 before it is rounded, and neighbouring whole numbers are as
   likely as the normal density says. (`whole` tells what float32 normals would give away.)

Assumed, as everywhere in DP-SGD: the float32 products that add up a batch do not amplify one record by the
rounding of the others' partial sums; and cosines rounded to float32 are as good as exact ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch

from understudy.engines.dpsgd.plan import Plan
from understudy.errors import ParameterError

__all__ = ["Grid"]

_FINEST = 20  # s / h < 2^20: see 5 above
_SAFETY = 2.0**-8  # see 1 above


@final
@dataclass(frozen=True)
class Grid:
    """The step of the grid, the noise in steps, and the clip that leaves room for both roundings.

    >>> grid = Grid.of(Plan(noise=1.0, clip=1.0, rate=0.1, steps=1, batch=8), dimension=10_000)
    >>> grid.step == 2.0**-19, round(grid.inner, 5)
    (True, 0.9959)
    """

    step: float
    deviation: float
    inner: float

    @classmethod
    def of(cls, plan: Plan, dimension: int) -> Grid:
        """Return the grid of a plan on a model of `dimension` trainable parameters."""
        step = 2.0 ** (math.floor(math.log2(plan.deviation)) - _FINEST + 1)
        inner = plan.clip * (1 - _SAFETY) - step * math.sqrt(dimension)
        if inner < plan.clip / 2:
            # A coarser sum would eat the signal; a finer grid would have holes.
            raise ParameterError(
                f"dpsgd: noise {plan.noise:g} is too large for {dimension:,} parameters: rounding would "
                "cost more than half of the clip; use fewer parameters, or less noise with a smaller rate."
            )
        return cls(step, plan.deviation, inner)

    @property
    def scale(self) -> float:
        """The standard deviation of the noise, in steps of the grid."""
        return self.deviation / self.step

    def release(self, total: torch.Tensor, noise: torch.Tensor, divisor: float) -> None:
        """Turn `total` into (round(total) + noise) / divisor, in place; the noise is in whole steps."""
        total.mul_(1 / self.step).round_().add_(noise).mul_(self.step / divisor)
