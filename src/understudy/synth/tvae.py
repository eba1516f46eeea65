"""TVAE: a variational autoencoder of rows, with standard normal latents (Xu et al. 2019, section 4.4).

Numbers are measured from a mode of a mixture (`codec/modes.py`) or read as ranks; levels, modes and what is
missing are drawn from the decoder's softmax, and never its largest value: public code takes the largest of
tanh(logits), which ties as soon as it saturates, so that rare levels vanish and the first of the tied wins.

Guarantee, with a budget: margins come from `CountTables`, the weights of encoder and decoder from
`NoisyTraining`, both planned and paid for before the first row is read. Codec, first guesses and rows follow
from these; latents are drawn from N(0, I), which no row has a part in. `guarantee="paper"` clips the mean of
a batch, encoder and decoder apart, as paper 000 does (eq. 5). One row can move such a mean by twice the clip,
whatever the batch; that is paid for, nothing else is read, and so its certificate is sound too, and its noise
larger by about as many times as a batch has rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, final

from understudy import check
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe

if TYPE_CHECKING:
    from understudy.engines.training.privately import Clipping
    from understudy.model.neural_fit import Method

__all__ = ["TVAE"]

STAGE = "autoencoder"


@final
@dataclass(frozen=True)
class TVAE(NetworkRecipe):
    """An autoencoder whose latents are drawn from a normal law (TVAE): quick, and smooth in the tails.

    `guarantee` says how gradients are clipped within a budget, or that a tree of marginals reads the rows and
    draws `teacher_rows` of its own to train on (`teacher_table`, estimated in `teacher_steps`).
    `loss_factor` is what telling the row weighs beside the divergence of latents from N(0, I). `numbers` are
    measured from modes, at most `modes` of them,
    or read as ranks; their deviations are those of the column, or told row by row (`spread`; `auto` is the
    column in the open, where rows' own can fall so far that latents weigh nothing beside them, and the row
    with a budget). The decoder begins with the columns' `shares`, or at `random`. Around given cells encoder
    and decoder take turns `rounds` times. A share `aside` of the rows judges every `every` steps, and
    training ends when it got no better `patience` times: of few rows, many steps learn each by heart.
    `epochs` takes the place of `steps` where it is not 0. With a budget, `noisy_steps` steps on a share
    `rate` of the rows take the place of `steps` and `batch`, `noisy_lr` that of `lr`, numbers are ranks by
    bought quantiles, no rows judge, the decoder begins with shares, and `few` and `modes` have no part.
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device. With a budget
    `bf16` is float32 on a processor, and tf32 on a device: gradients are clipped row by row.
    """

    guarantee: str = check.choice("sound", "sound", "paper", "teacher_table")
    latent: int = check.integer(32, low=1, high=4_096)
    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=1, high=64)
    activation: str = check.choice("silu", "silu", "relu")
    numbers: str = check.choice("ranks", "ranks", "modes")
    modes: int = check.integer(10, low=1, high=1_000)
    spread: str = check.choice("auto", "auto", "row", "column")
    begins: str = check.choice("shares", "shares", "random")
    loss_factor: float = check.number(1.0, low=1e-3, high=1_000.0)
    rounds: int = check.integer(2, low=0, high=1_000)
    steps: int = check.integer(4_000, low=1, high=10_000_000)
    epochs: int = check.integer(0, low=0, high=1_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    schedule: str = check.choice("cosine", "constant", "linear", "cosine")
    ema: float = check.number(0.99, low=0.0, high=0.999999)
    weight_decay: float = check.number(0.0, low=0.0, high=1.0)
    aside: float = check.number(0.1, low=0.0, high=0.9)
    every: int = check.integer(100, low=1, high=1_000_000)
    patience: int = check.integer(10, low=1, high=1_000_000)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(5e-3, low=1e-7, high=1.0)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's settings: 300 epochs of batches of 500, 128 wide, modes, factor 2."""
        return cls(
            guarantee="paper",
            latent=128,
            width=128,
            activation="relu",
            numbers="modes",
            spread="column",
            begins="random",
            loss_factor=2.0,
            epochs=300,
            batch=500,
            lr=1e-3,
            schedule="constant",
            ema=0.0,
            weight_decay=1e-5,
            aside=0.0,
            few=0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(latent=3, width=12, depth=1, steps=10, batch=64, rounds=1, every=5, noisy_steps=4)

    def stages(self) -> dict[str, float]:
        """Encoder and decoder, trained together."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.diffusion.tldm import TldmLearner
        from understudy.engines.nets.vae import VaeSize
        from understudy.engines.training.fit import Settings

        modes = self.numbers == "modes" and not noisy
        heads: dict[str, Any] = {"activation": self.activation, "bounded": modes}
        heads |= {"spread": self._spread(noisy=noisy), "begins": "shares" if noisy else self.begins}
        size = VaeSize(self.latent, self.width, self.depth, **heads)
        learner = TldmLearner(
            size, noise=None, beta=1 / self.loss_factor, rounds=self.rounds, whole=not noisy
        )
        steps, lr, ema = self.pace(noisy=noisy)
        schedule: Any = self.schedule
        precision: Any = self.precision
        warmup = 0 if schedule == "constant" else min(100, steps // 10)
        settings = Settings(
            steps,
            self.batch,
            lr,
            optimizer="adam",
            weight_decay=self.weight_decay,
            schedule=schedule,
            warmup=warmup,
            ema=ema,
            validation=0.0 if noisy else self.aside,
            patience=self.patience,
            every=self.every,
            precision=precision,
        )
        style = replace(STYLE, numbers="modes" if modes else STYLE.numbers, modes=self.modes, few=self.few)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, self._clips(), style)

    def _spread(self, *, noisy: bool) -> str:
        if self.spread == "auto":
            return "row" if noisy else "column"
        return self.spread

    def _clips(self) -> dict[str, Clipping]:
        """Return how paper 000 clips within a budget, where that is wanted."""
        if self.guarantee != "paper":
            return {}
        from understudy.engines.training.privately import Clipping

        of_columns = ("log_sds.",) if self._spread(noisy=True) == "column" else ()
        return {STAGE: Clipping("batch", ("encoder.", "decoder.", *of_columns))}
