"""ADS-GAN: a generator that is paid for staying away from real rows (Yoon, Drumright, van der Schaar 2020).

To the losses of a Wasserstein critic the generator adds -`apart` times a distance between made and real rows.
The paper gives the generator a real row beside its noise, and measures the distance to that row
(`identifiability="paper"`); common code gives it noise alone, and measures the distance to a random row
(`identifiability="pairs"`, the default). With the paper's form no real row is kept for drawing: the generator
is given rows that it made itself.

Guarantee: none. The term makes rows less alike on average and bounds nothing, so a budget is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self, final

from understudy import check
from understudy.model.gan_recipe import GanRecipe
from understudy.model.recipe import Recipe

if TYPE_CHECKING:
    from understudy.engines.gan.duel import Rules

__all__ = ["ADSGAN"]


@final
@dataclass(frozen=True)
class ADSGAN(GanRecipe):
    """A generator that is paid for staying away from real rows (ADS-GAN); no guarantee.

    `apart` is the weight of the distance, and `identifiability` says from which row. All else is as in
    `ctgan`, but that nothing is asked for.
    """

    identifiability: str = check.choice("pairs", "pairs", "paper")
    apart: float = check.number(0.1, low=0.0, high=1_000.0)
    loss: str = check.choice("wasserstein", "wasserstein", "logistic")
    penalty: float = check.number(10.0, low=0.0, high=1e6)
    temperature: float = check.number(0.2, low=1e-3, high=100.0)
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
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    private: ClassVar[bool] = False
    asks = Recipe.asks  # which refuses

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's form, in the sizes of its common code: two layers of 500, batches of 200."""
        return cls(
            identifiability="paper",
            moments=0.0,
            width=500,
            norm="batch",
            dropout=0.1,
            batch=200,
            lr=1e-3,
            schedule="constant",
            weight_decay=1e-3,
            epochs=300,
            few=0,
            ema=0.0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford."""
        return cls(latent=8, width=16, depth=1, steps=12, batch=60)

    def numbers(self) -> str:
        """Modes, and distances from them."""
        return "modes"

    def rules(self, *, noisy: bool) -> Rules:
        """Return the game, with the term of identifiability."""
        plain = GanRecipe.rules(self, noisy=noisy)
        return replace(plain, apart=self.apart, given=self.identifiability == "paper", asks=False)
