"""EDM: numbers with plain noise added, x + sigma eps, and a network kept in scale (Karras et al. 2022).

Time is continuous, 0 .. 1, and only names a sigma: low at 0, high at 1, and 0 at any time below 0. What the
network is asked for is mixed with its input so that both, and its target, have variance 1 at every sigma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from understudy.errors import ParameterError

__all__ = ["EDM"]

Network = Callable[[Tensor, Tensor], Tensor]


@final
@dataclass(frozen=True)
class EDM:
    """Noise from `low` to `high` for `width` numbers of standard deviation `data`; sigmas are (b,).

    >>> edm = EDM(width=4)
    >>> edm.sigma(torch.tensor([1.0, 0.0, -1.0]))
    tensor([8.0000e+01, 2.0000e-03, 0.0000e+00])
    """

    width: int
    low: float = 0.002
    high: float = 80.0
    rho: float = 7.0
    data: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high or self.rho <= 0 or self.data <= 0 or self.width < 0:
            raise ParameterError("EDM: expected 0 < low < high, rho > 0 and data > 0.")

    def sigma(self, t: Tensor) -> Tensor:
        """Return the noise at time t: a line in sigma^(1 / rho)."""
        low, high = self._roots()
        sigma: Tensor = (low + t.clamp(min=0) * (high - low)) ** self.rho
        return torch.where(t < 0, torch.zeros_like(sigma), sigma)

    def time(self, sigma: Tensor) -> Tensor:
        """Return the time of a noise between low and high."""
        low, high = self._roots()
        return (sigma ** (1 / self.rho) - low) / (high - low)

    def draw(
        self, rows: int, generator: torch.Generator, *, mean: float = -1.2, spread: float = 1.2
    ) -> Tensor:
        """Draw sigmas to train at: ln sigma is normal."""
        normal = torch.randn(rows, generator=generator, device=generator.device)
        return torch.exp(mean + spread * normal)

    def weight(self, sigma: Tensor) -> Tensor:
        """Return what a squared error of the denoised counts: 1 / c_out^2."""
        return (sigma**2 + self.data**2) / (sigma * self.data) ** 2

    def denoised(self, network: Network, x: Tensor, sigma: Tensor) -> Tensor:
        """Return c_skip x + c_out network(c_in x, c_noise): a guess of the record."""
        total = (sigma**2 + self.data**2)[..., None]
        skip, out = self.data**2 / total, sigma[..., None] * self.data / total.sqrt()
        return skip * x + out * network(x / total.sqrt(), sigma.clamp(min=1e-20).log() / 4)

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return (rows, width) numbers of time 1: nothing but noise."""
        return self.high * torch.randn(rows, self.width, generator=generator, device=generator.device)

    def noised(self, x: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None) -> Tensor:
        """Add the noise that is between time `since`, or the record itself, and t."""
        sigma, before = self.sigma(t), self.sigma(-torch.ones_like(t) if since is None else since)
        grown = ((sigma - before) * (sigma + before)).clamp(min=0).sqrt()
        noise = torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
        return x + grown[..., None] * noise

    def direction(self, x: Tensor, guess: Tensor, t: Tensor) -> Tensor:
        """Return the noise in x per unit of sigma, if the record is as guessed."""
        return (x - guess) / self.sigma(t)[..., None]

    def move(self, x: Tensor, direction: Tensor, t: Tensor, s: Tensor, generator: torch.Generator) -> Tensor:
        """Go from time t to s along a direction, without fresh noise."""
        del generator
        return x + (self.sigma(s) - self.sigma(t))[..., None] * direction

    def _roots(self) -> tuple[float, float]:
        return self.low ** (1 / self.rho), self.high ** (1 / self.rho)
