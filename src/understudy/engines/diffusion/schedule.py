"""How much of a record is left at each time 0 .. T-1 of a diffusion; time -1 is the record itself.

At time t the share alpha_bar(t) = (1 - beta_0) ... (1 - beta_t) of the signal is left. What a sampler needs
are shares of pairs of times; differences of numbers near 1 lose their digits, so that they are taken of
logarithms instead. All tables are computed in double precision.
"""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Tensor, nn

from understudy.errors import ParameterError

__all__ = ["Schedule", "cosine", "linear"]

_CAP = 0.999  # a beta of 1 would leave nothing to divide by


@final
class Schedule(nn.Module):
    """The betas of a discrete diffusion, and tables made from them. Times are whole numbers, -1 .. T-1.

    >>> schedule = linear(1000)
    >>> len(schedule), schedule.lost(torch.tensor([-1, 0, 999]))
    (1000, tensor([0.0000e+00, 1.0000e-04, 9.9996e-01]))
    """

    betas: Tensor
    alpha_bar: Tensor
    _log: Tensor
    _lost: Tensor

    def __init__(self, betas: Tensor) -> None:
        nn.Module.__init__(self)
        betas = betas.double()
        if betas.dim() != 1 or len(betas) == 0 or not bool(((betas > 0) & (betas < 1)).all()):
            raise ParameterError("Schedule: betas must be a vector of one or more numbers between 0 and 1.")
        log = torch.cat([betas.new_zeros(1), torch.log1p(-betas).cumsum(0)])
        tables = {"betas": betas, "alpha_bar": log[1:].exp(), "_log": log, "_lost": torch.expm1(log).abs()}
        for name, table in tables.items():
            self.register_buffer(name, table.to(torch.get_default_dtype()), persistent=False)

    def __len__(self) -> int:
        return len(self.betas)

    def kept(self, t: Tensor) -> Tensor:
        """Return alpha_bar(t): the share of the signal's variance that is left; 1 at time -1."""
        return _looked_up(self._log, t).exp()

    def lost(self, t: Tensor) -> Tensor:
        """Return 1 - alpha_bar(t), with all its digits."""
        return _looked_up(self._lost, t)

    def between(self, s: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return alpha_bar(t) / alpha_bar(s), and 1 less that, for times s <= t."""
        log = _looked_up(self._log, t) - _looked_up(self._log, s)
        return log.exp(), -torch.expm1(log)


def linear(steps: int, low: float = 1e-4, high: float = 0.02) -> Schedule:
    """Return betas on a line, scaled by 1000 / steps so that all lengths end alike (Ho et al. 2020)."""
    _check(steps)
    scale = 1000 / steps
    betas = torch.linspace(scale * low, scale * high, steps, dtype=torch.float64)
    return Schedule(betas.clamp(max=_CAP))


def cosine(steps: int, offset: float = 0.008) -> Schedule:
    """Return betas whose alpha_bar falls as a squared cosine (Nichol & Dhariwal 2021)."""
    _check(steps)
    time = torch.linspace(0, 1, steps + 1, dtype=torch.float64)
    left = torch.cos((time + offset) / (1 + offset) * math.pi / 2) ** 2
    return Schedule((1 - left[1:] / left[:-1]).clamp(max=_CAP))


def _looked_up(table: Tensor, t: Tensor) -> Tensor:
    # table[t + 1] of a single time would wait for the device to say which one that is.
    return table.index_select(0, (t + 1).reshape(-1)).reshape(t.shape)


def _check(steps: int) -> None:
    if steps < 1:
        raise ParameterError(f"Schedule: the number of steps must be 1 or more; got {steps}.")
