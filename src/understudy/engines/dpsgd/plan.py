"""The plan of a private training run: one frozen object that samples, clips, noises and accounts.

The sampler reads `rate`, the clipper `clip`, the noiser `noise` and `clip`, the counter `steps`, and
`event` is computed from the same four fields. So a rate, a noise multiplier or a number of steps that is
accounted but not used (or used but not accounted) cannot be written down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from understudy.check import Integer, Number
from understudy.errors import ParameterError
from understudy.privacy.events import SampledGaussian

__all__ = ["Plan", "Style"]

Style = Literal["flat", "layer", "batch"]

_RULES: dict[str, Integer | Number] = {
    "noise": Number(1e-3, 1e6),
    "clip": Number(1e-9, 1e9),
    "rate": Number(1e-12, 1.0),
    "steps": Integer(1, 2**31 - 1),
    "batch": Number(1e-6, 1e12),
}


@final
@dataclass(frozen=True)
class Plan:
    """How a run is sampled, clipped and noised.

    `noise` is in units of `clip`: every coordinate of what is released gets noise of standard deviation
    `noise * clip`. `rate` is the probability that a row is in a step. `batch` is the public number that
    noisy sums are divided by; it only scales what is already private, so any value is safe. The number of
    rows n is nowhere here: it reaches the plan only through `rate`, and must be public or bought when
    `rate` is chosen from it.

    Styles, with the L2 sensitivity under adding or removing one row that each one has:

    - `flat`: every record's gradient is clipped to `clip`, then summed. Sensitivity `clip`.
    - `layer`: as flat, but each of k groups of parameters is clipped to clip / sqrt(k). Sensitivity `clip`.
    - `batch`: the mean gradient of the batch is clipped to `clip`, in each of k groups (paper 000, eq. 5
      and Algorithm 1: encoder and decoder). One row can turn a mean of -clip u into +clip u, whatever the
      batch size: sensitivity 2 clip per group, 2 clip sqrt(k) together, not the clip / batch that one would
      hope for.

    `groups` are prefixes of parameter names, such as ("encoder.", "decoder."); by default `layer` makes one
    group of each layer and `batch` one group of everything.

    >>> Plan(noise=1.0, clip=1.0, rate=0.01, steps=100, batch=64).event()
    SampledGaussian(noise=1.0, rate=0.01, steps=100)
    >>> heads = ("encoder.", "decoder.")
    >>> round(Plan(2.0, 1.0, rate=0.01, steps=9, batch=64, style="batch", groups=heads).event().noise, 4)
    0.7071
    """

    noise: float
    clip: float
    rate: float
    steps: int
    batch: float
    style: Style = "flat"
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            if not rule.accepts(getattr(self, name)):
                raise ParameterError(f"Plan: {name} must be {rule}; got {getattr(self, name)!r}.")
        if self.style not in ("flat", "layer", "batch"):
            raise ParameterError(f"Plan: style must be one of flat, layer, batch; got {self.style!r}.")
        if self.style == "flat" and self.groups:
            raise ParameterError(
                "Plan: style flat clips all parameters together; got groups. Use style='layer'."
            )
        if len(set(self.groups)) != len(self.groups):
            raise ParameterError("Plan: every group must be named once; got a name twice.")

    @classmethod
    def sampling(cls, batch: float, rows: int, *, noise: float, clip: float, steps: int) -> Plan:
        """Return the flat plan whose batches hold `batch` of `rows` rows on average; `rows` must be public.

        >>> Plan.sampling(64, 6_400, noise=1.0, clip=1.0, steps=100).rate
        0.01
        """
        if rows < 1 or not 0 < batch <= rows:
            raise ParameterError(f"Plan: batch must be above 0 and at most {rows:,} rows; got {batch!r}.")
        return cls(noise=noise, clip=clip, rate=batch / rows, steps=steps, batch=batch)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each coordinate of what is released."""
        return self.noise * self.clip

    @property
    def sensitivity(self) -> float:
        """The L2 distance by which one row, added or removed, can move what is released."""
        return self.clip * (2 * math.sqrt(max(1, len(self.groups))) if self.style == "batch" else 1)

    def event(self) -> SampledGaussian:
        """Return what the accountant must count: noise over sensitivity, the rate, all planned steps.

        Guarantee: the output of the whole run is at least as private as this event under adding or removing
        one row: each step is the Gaussian mechanism of that multiplier (`grid` has the proof) on a Poisson
        sample.
        """
        return SampledGaussian(noise=self.deviation / self.sensitivity, rate=self.rate, steps=self.steps)
