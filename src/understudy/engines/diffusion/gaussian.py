"""Gaussian diffusion of numbers: x_t = sqrt(alpha_bar) x_0 + sqrt(1 - alpha_bar) eps (Ho et al. 2020).

Times are whole numbers, one for all records or one for each (b,); s = -1 is the record itself.
"""

from __future__ import annotations

from typing import Literal, final

import torch
from torch import Tensor, nn

from understudy.engines.diffusion.schedule import Schedule

__all__ = ["Gaussian", "eps_of", "noised", "posterior", "x0_of"]


@final
class Gaussian(nn.Module):
    """How `width` numbers walk back from noise, given a network that predicts eps or x_0.

    `eta` is as in `posterior`. `wide` gives every step but the last the variance of the noise step itself,
    as TabDDPM and FinDiff do, and not the smaller one of the posterior. `clip` bounds the guess of x_0.
    """

    def __init__(
        self,
        width: int,
        schedule: Schedule,
        *,
        predicts: Literal["eps", "x0"] = "eps",
        eta: float = 1.0,
        wide: bool = False,
        clip: float | None = None,
    ) -> None:
        nn.Module.__init__(self)
        self.width, self.schedule = width, schedule
        self.predicts, self.eta, self.wide, self.clip = predicts, eta, wide, clip

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return (rows, width) standard normal numbers."""
        return torch.randn(rows, self.width, generator=generator, device=generator.device)

    def noised(self, x: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None) -> Tensor:
        """Draw x_t given x at time `since`, or given the record itself."""
        before = -torch.ones_like(t) if since is None else since
        kept, fresh = (_column(share.sqrt()) for share in self.schedule.between(before, t))
        return kept * x + fresh * _normal_like(x, generator)

    def direction(self, x: Tensor, guess: Tensor, t: Tensor) -> Tensor:
        """Return the noise in x by the network's guess."""
        if self.predicts == "eps" and self.clip is None:
            return guess
        x_0 = x0_of(self.schedule, x, guess, t) if self.predicts == "eps" else guess
        x_0 = x_0 if self.clip is None else x_0.clamp(-self.clip, self.clip)
        return eps_of(self.schedule, x, x_0, t)

    def move(self, x: Tensor, direction: Tensor, t: Tensor, s: Tensor, generator: torch.Generator) -> Tensor:
        """Go from time t to s, given the noise in x."""
        x_0 = x0_of(self.schedule, x, direction, t)
        mean, variance = posterior(self.schedule, x, x_0, t, s, eta=self.eta)
        if self.eta == 0:
            return mean
        if self.wide:
            variance = _column(torch.where(s < 0, 0.0, self.schedule.between(s, t)[1]))
        return mean + variance.sqrt() * _normal_like(x, generator)


def noised(schedule: Schedule, x_0: Tensor, t: Tensor, eps: Tensor) -> Tensor:
    """Return x_t, given standard normal eps; x_0 itself at t = -1."""
    return _column(schedule.kept(t).sqrt()) * x_0 + _column(schedule.lost(t).sqrt()) * eps


def x0_of(schedule: Schedule, x_t: Tensor, eps: Tensor, t: Tensor, clip: float | None = None) -> Tensor:
    """Return the x_0 that x_t came from if its noise was eps.

    Where hardly any signal is left, a small error of eps is a large one of x_0; `clip` keeps it in reach.
    """
    x_0 = (x_t - _column(schedule.lost(t).sqrt()) * eps) / _column(schedule.kept(t).sqrt())
    return x_0 if clip is None else x_0.clamp(-clip, clip)


def eps_of(schedule: Schedule, x_t: Tensor, x_0: Tensor, t: Tensor) -> Tensor:
    """Return the noise that led from x_0 to x_t."""
    return (x_t - _column(schedule.kept(t).sqrt()) * x_0) / _column(schedule.lost(t).sqrt())


def posterior(
    schedule: Schedule, x_t: Tensor, x_0: Tensor, t: Tensor, s: Tensor, *, eta: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return mean and variance of q(x_s | x_t, x_0) for any times s < t.

    eta = 1 is the chain of single noise steps (Ho et al. 2020); less makes the way back less noisy but with
    the same x_s given x_0 at every time, and 0 not noisy at all (Song et al. 2021, DDIM, eq. 12).
    """
    ratio, fresh = schedule.between(s, t)
    lost_s, lost_t = schedule.lost(s), schedule.lost(t)
    variance = eta**2 * fresh * lost_s / lost_t
    if eta == 1:
        of_t = ratio.sqrt() * lost_s / lost_t
        of_0 = schedule.kept(s).sqrt() * fresh / lost_t
    else:
        of_t = ((lost_s - variance).clamp(min=0) / lost_t).sqrt()
        of_0 = schedule.kept(s).sqrt() - of_t * schedule.kept(t).sqrt()
    return _column(of_t) * x_t + _column(of_0) * x_0, _column(variance)


def _normal_like(x: Tensor, generator: torch.Generator) -> Tensor:
    return torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)


def _column(values: Tensor) -> Tensor:
    return values[..., None]
