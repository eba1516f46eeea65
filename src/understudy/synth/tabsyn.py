"""TabSyn: an autoencoder that makes a latent of each cell, and a diffusion of latents (Zhang et al. 2024).

Of the reference this repeats neither the look at the test set, by which it sets beta and rates of learning,
nor the last weights in place of the best: beta falls with the steps, averaged weights are kept, and with
`validation` rows of the training set are kept aside to judge by.

In the default beta is larger than the reference's 1e-2 to 1e-5, and levels are drawn: latents keep less, and
the decoder says how sure it is. With a beta of 1e-4 a column of many levels is crowded into four coordinates,
and a diffusion of a few thousand steps misses them.

Guarantee, with a budget: margins come from `CountTables`, the weights of both stages from `NoisyTraining`,
all planned and paid for before the first row is read. Centre and scale of latents are weights of the first
stage; the second sees rows through the first's finished encoder. Codec and rows drawn follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, final

from understudy import check
from understudy.errors import ParameterError
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe, Pace

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TabSyn"]

STAGES = ("autoencoder", "diffusion")


@final
@dataclass(frozen=True)
class TabSyn(NetworkRecipe):
    """An autoencoder of cells as tokens, and a diffusion of their latents (TabSyn).

    `token`, `heads`, `blocks` and `feed` are sizes of the autoencoder, `width` and `depth` of the denoiser,
    whose network is "residual" or the reference's "plain" perceptron. The divergence of latents from N(0, I)
    weighs `beta` at first and `beta_last` at last. `levels` are drawn from what the decoder says, or its
    likeliest. `rounds` and `again` are how often rows around known cells are taken up again.

    With a budget, `noisy_steps` steps of each stage on a share `rate` of the rows take the place of `steps`,
    `diffusion_steps` and `batch`, and `noisy_lr` that of `lr`; `draws` is how many latents and noises a row
    has in each, `split` is the autoencoder's part, and beta is `noisy_beta` throughout. `few` and
    `validation` have no part there.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    token: int = check.integer(4, low=1, high=256)
    heads: int = check.integer(1, low=1, high=64)
    blocks: int = check.integer(1, low=0, high=64)
    feed: int = check.integer(8, low=1, high=256)
    network: str = check.choice("residual", "residual", "plain")
    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(3, low=1, high=64)
    beta: float = check.number(1.0, low=1e-12, high=1_000.0)
    beta_last: float = check.number(0.3, low=1e-12, high=1_000.0)
    steps: int = check.integer(1_500, low=1, high=10_000_000)
    diffusion_steps: int = check.integer(7_000, low=1, high=10_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    validation: float = check.number(0.0, low=0.0, high=0.9)
    few: int = check.integer(128, low=0, high=100_000)
    levels: str = check.choice("drawn", "drawn", "likeliest")
    sampling_steps: int = check.integer(50, low=1, high=10_000)
    churn: float = check.number(0.0, low=0.0, high=1_000.0)
    rounds: int = check.integer(2, low=1, high=100)
    again: int = check.integer(8, low=1, high=100)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.05, low=1e-6, high=1.0)
    noisy_lr: float = check.number(5e-3, low=1e-7, high=1.0)
    noisy_beta: float = check.number(0.3, low=1e-12, high=1_000.0)
    draws: int = check.integer(2, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    split: float = check.number(0.6, low=0.01, high=0.99)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    def __post_init__(self) -> None:
        NetworkRecipe.__post_init__(self)
        if self.token % self.heads:
            raise ParameterError(f"tabsyn: heads must divide token; got {self.heads} and {self.token}.")

    @classmethod
    def paper(cls) -> Self:
        """Return the reference's sizes, for as many steps as it takes on Adult: 8 make an epoch.

        4,000 epochs of the autoencoder, 10,000 of the diffusion, batches of 4,096. Where the reference has
        beta fall when a look at the test set says so, it falls with the steps between the same two ends.
        """
        return cls(
            blocks=2,
            feed=32,
            network="plain",
            width=1_024,
            beta=1e-2,
            beta_last=1e-5,
            steps=32_000,
            diffusion_steps=80_000,
            batch=4_096,
            lr=1e-3,
            ema=0.0,
            few=0,
            levels="likeliest",
            churn=1.0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford; the price of full batches is found in no time."""
        return cls(
            feed=2,
            width=16,
            depth=1,
            steps=8,
            diffusion_steps=8,
            batch=64,
            sampling_steps=4,
            again=1,
            noisy_steps=3,
            rate=1.0,
            draws=2,
        )

    def stages(self) -> dict[str, float]:
        """The autoencoder, then the diffusion of its latents."""
        return dict(zip(STAGES, (self.split, 1 - self.split), strict=True))

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how both stages are trained."""
        from understudy.engines.diffusion.tabsyn import NetworkSize, TabSynLearner
        from understudy.engines.nets.token_vae import TokenSize

        kind: Any = self.network
        first = self.pace(noisy=noisy)
        second = first if noisy else Pace(self.diffusion_steps, first.lr, first.ema)
        learner = TabSynLearner(
            TokenSize(self.token, self.heads, self.blocks, self.feed),
            NetworkSize(kind, self.width, self.depth),
            (self.noisy_beta, self.noisy_beta) if noisy else (self.beta, self.beta_last),
            max(1, first.steps * 4 // 5),  # the last fifth of the steps is left to the last beta
            self.draws if noisy else 1,
            self.sampling_steps,
            self.churn,
            self.levels == "drawn",
            self.rounds,
            self.again,
        )
        # Rows kept aside to judge by would have to be paid for.
        aside = 0.0 if noisy else self.validation
        settings = {
            name: self._settings(pace, aside) for name, pace in zip(STAGES, (first, second), strict=True)
        }
        return neural_fit.Method(learner, settings, self.device, style=replace(STYLE, few=self.few))

    def _settings(self, pace: Pace, validation: float) -> Any:
        from understudy.engines.training.fit import Settings

        steps = pace.steps
        precision: Any = self.precision
        return Settings(
            steps,
            self.batch,
            pace.lr,
            schedule="cosine",
            warmup=min(100, steps // 10),
            ema=min(pace.ema, 1 - 10 / max(steps, 11)),  # an average of a tenth of the steps, at most
            betas=(0.9, 0.99),
            validation=validation,
            precision=precision,
        )
