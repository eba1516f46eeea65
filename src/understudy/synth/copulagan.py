"""CopulaGAN: the networks of CTGAN behind normal ranks, as in a copula (SDV; Xu et al. 2019).

Every quantity goes through its own distribution to a standard normal before a network sees it, so that the
networks have nothing but the dependence to learn, and each column comes back with the law it had. (The
published form fits a parametric distribution to each column, and then modes to that.)

Guarantee, with a budget: as that of `ctgan`, whose private form is behind bought ranks as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

from understudy import check
from understudy.model.gan_recipe import GanRecipe

__all__ = ["CopulaGAN"]


@final
@dataclass(frozen=True)
class CopulaGAN(GanRecipe):
    """CTGAN behind the normal ranks of a copula (CopulaGAN).

    The settings are those of `ctgan`, with and without a budget, but for a `guarantee`: there is one form.
    """

    loss: str = check.choice("wasserstein", "wasserstein", "logistic")
    penalty: float = check.number(10.0, low=0.0, high=1e6)
    temperature: float = check.number(0.2, low=1e-3, high=100.0)
    asked: str = check.choice("logs", "logs", "shares")
    moments: float = check.number(30.0, low=0.0, high=1e6)
    latent: int = check.integer(128, low=1, high=16_384)
    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=1, high=64)
    norm: str = check.choice("layer", "batch", "layer", "none")
    pac: int = check.integer(1, low=1, high=1_000)
    dropout: float = check.number(0.0, low=0.0, high=0.99)
    steps: int = check.integer(2_500, low=1, high=10_000_000)
    epochs: int = check.integer(0, low=0, high=1_000_000)
    batch: int = check.integer(500, low=1, high=1_000_000)
    lr: float = check.number(1e-3, low=1e-7, high=1.0)
    schedule: str = check.choice("cosine", "constant", "linear", "cosine")
    ema: float = check.number(0.99, low=0.0, high=0.999999)
    weight_decay: float = check.number(1e-6, low=0.0, high=1.0)
    few: int = check.integer(16, low=0, high=100_000)
    noisy_steps: int = check.integer(500, low=1, high=1_000_000)
    rate: float = check.number(0.05, low=1e-6, high=1.0)
    noisy_lr: float = check.number(1e-3, low=1e-7, high=1.0)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    device: str = check.choice("auto", "auto", "cpu", "cuda")

    @classmethod
    def paper(cls) -> Self:
        """Return the published settings: those of CTGAN, and no number written like levels."""
        return cls(
            asked="logs",
            moments=0.0,
            norm="batch",
            pac=10,
            dropout=0.5,
            epochs=300,
            lr=2e-4,
            schedule="constant",
            ema=0.0,
            few=0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford."""
        return cls(latent=8, width=16, depth=1, steps=12, batch=60, noisy_steps=4)

    def numbers(self) -> str:
        """Ranks, read as a standard normal."""
        return "quantile_normal"

    def logs(self) -> bool:
        """Whether rare levels are asked for more often than they are there."""
        return self.asked == "logs"
