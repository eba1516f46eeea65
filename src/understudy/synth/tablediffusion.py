"""TableDiffusion: a few levels of noise, all of them in every step; made for budgets (Truda 2023).

Under a budget a record pays for one clipped gradient, whatever that is the mean of: here, of its losses at
all levels of noise. Written from the paper; `engines/diffusion/tablediffusion.py` says where it differs.

Guarantee, with a budget: margins come from `CountTables`, the weights from `NoisyTraining`, both planned and
paid for before the first row is read. Codec, first guesses and rows follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, final

from understudy import check
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TableDiffusion"]

STAGE = "denoiser"
_OF_LEARNER = ("mode", "width", "depth", "times", "least", "told_level", "rounds")


@final
@dataclass(frozen=True)
class TableDiffusion(NetworkRecipe):
    """A few levels of noise on one-hots and numbers, all of them in every step: made for budgets.

    `mode` is what the network tells: the noise or the row, as in the paper, or the law of the row, from which
    numbers and levels are drawn. `times` is the number of levels of noise and `least` the variance of the
    lowest; `told_level` says whether the network is told which one it sees, and `rounds` how often the levels
    are walked through for a row.

    With a budget, `noisy_steps` steps on a share `rate` of the rows take the place of `steps` and `batch`,
    and `noisy_lr` that of `lr`. `few` has no part there.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    mode: str = check.choice("law", "law", "denoise", "noise")
    width: int = check.integer(128, low=1, high=16_384)
    depth: int = check.integer(2, low=0, high=64)
    times: int = check.integer(5, low=1, high=1_000)
    least: float = check.number(0.1, low=1e-6, high=10.0)
    told_level: bool = check.flag(True)
    rounds: int = check.integer(2, low=1, high=1_000)
    steps: int = check.integer(3_000, low=1, high=10_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    momentum: float = check.number(0.9, low=0.0, high=0.999)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(1e-2, low=1e-7, high=1.0)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's setting: 5 epochs of Adult's 32,561 rows in batches of 1,024, and noise told."""
        return cls(
            mode="noise",
            told_level=False,
            rounds=1,
            steps=159,
            batch=1_024,
            lr=5e-3,
            momentum=0.5,
            ema=0.0,
            few=0,
            noisy_steps=159,
            rate=1_024 / 32_561,
            noisy_lr=5e-3,
        )

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(width=16, depth=1, steps=12, batch=64, noisy_steps=4, rounds=1, times=3)

    def stages(self) -> dict[str, float]:
        """One network, trained once."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.diffusion.tablediffusion import TableDiffusionLearner
        from understudy.engines.training.fit import Settings

        own: dict[str, Any] = {name: getattr(self, name) for name in _OF_LEARNER}
        steps, lr, ema = self.pace(noisy=noisy)
        precision: Any = self.precision
        settings = Settings(
            steps,
            self.batch,
            lr,
            schedule="cosine",
            warmup=min(200, steps // 10),
            ema=ema,
            betas=(self.momentum, 0.99),
            precision=precision,
        )
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(TableDiffusionLearner(**own), {STAGE: settings}, self.device, style=style)
