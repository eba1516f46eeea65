"""CTGAN: a conditional generator and a critic of several rows (Xu et al. 2019); DP-CTGAN with a budget.

Quantities are written as a mode and the distance from it; a row is asked for a level of a random column, by
the log of its count, so that rare levels are learned too, and the critic sees rows that have it. Written from
the paper. Modes are asked for as levels are, and both networks learn in one step (`engines/gan/duel.py`).

Guarantee, with a budget: margins come from `CountTables`, the critic's weights from `NoisyTraining` on
Poisson batches, both planned and paid for before the first row is read. Codec, shares of conditions and the
generator follow from these. No row is picked for a condition: each record is asked for a level of its own.
The critic sees one row at a time, and has no penalty. `guarantee="paper"` clips the mean of a batch, as paper
000 does (eq. 5); one row can move such a mean by twice the clip, whatever the batch, and that is what is paid
for here. So its certificate is sound too, and its noise larger by about as many times as a batch has rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

from understudy import check
from understudy.model.gan_recipe import GanRecipe

if TYPE_CHECKING:
    from understudy.engines.training.privately import Clipping

__all__ = ["CTGAN"]


@final
@dataclass(frozen=True)
class CTGAN(GanRecipe):
    """A generator that is asked for levels, against a critic (CTGAN); DP-CTGAN with a budget.

    `loss`, `penalty`, `temperature` and `moments` are those of the game (`engines/gan/duel.py`); `asked` says
    how levels are asked for: by the "logs" of their counts or by their "shares". `pac` is how many rows the
    critic sees at once. `lr` follows the `schedule`. A number of at most `few` values is written like levels,
    others by at most ten modes. `epochs` takes the place of `steps` where it is not 0. With a budget,
    `noisy_steps` steps on a share `rate` of the rows take the place of both, and `noisy_lr` that of `lr`; the
    loss is logistic then, without a penalty, moments, pac, schedule and dropout, `norm` looks at one row,
    levels are asked for by shares, and numbers are ranks by bought quantiles: `few` has no part.
    """

    guarantee: str = check.choice("sound", "sound", "paper")
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
        """Return the published settings: 300 epochs of batches of 500, and no number written like levels."""
        return cls(
            guarantee="paper",
            asked="logs",
            moments=0.0,
            norm="batch",
            pac=10,
            dropout=0.5,
            epochs=300,
            batch=500,
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
        """Modes, and distances from them."""
        return "modes"

    def logs(self) -> bool:
        """Whether rare levels are asked for more often than they are there."""
        return self.asked == "logs"

    def clipping(self) -> Clipping | None:
        """Return how paper 000 clips, where that is wanted."""
        if self.guarantee != "paper":
            return None
        from understudy.engines.training.privately import Clipping

        return Clipping("batch")
