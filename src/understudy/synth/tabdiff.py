"""TabDiff: one diffusion of numbers and levels in continuous time (Shi et al. 2025), by a small network.

Numbers of few distinct values are levels here: a network that has to tell 40 hours from 40.3 by itself gives
itself away.

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

__all__ = ["TabDiff"]

STAGE = "denoiser"
_TOGETHER = 4  # records of a batch have one time: a twelfth of a step on two cores, and times that are even


@final
@dataclass(frozen=True)
class TabDiff(NetworkRecipe):
    """One network that denoises numbers and uncovers levels (TabDiff): the closest of all to real tables.

    With a budget, `noisy_steps` steps on a share `rate` of the rows take the place of `steps` and `batch`,
    and `noisy_lr` that of `lr`; `draws` is how often a row is noised in each. `few` has no part there.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=0, high=64)
    steps: int = check.integer(3_500, low=1, high=10_000_000)
    batch: int = check.integer(256, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    numbers_weight: float = check.number(0.3, low=1e-6, high=1e6)
    few: int = check.integer(200, low=0, high=100_000)
    sampling_steps: int = check.integer(20, low=1, high=10_000)
    noisy_steps: int = check.integer(100, low=1, high=1_000_000)
    rate: float = check.number(0.3, low=1e-6, high=1.0)
    noisy_lr: float = check.number(1e-2, low=1e-7, high=1.0)
    draws: int = check.integer(4, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's sizes: 8,000 epochs of Adult in batches of 4,096, and a wide network."""
        return cls(width=1_024, depth=4, steps=64_000, batch=4_096, lr=1e-3, ema=0.997, few=0)

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(width=16, depth=1, steps=12, batch=64, sampling_steps=4, noisy_steps=4, draws=2)

    def stages(self) -> dict[str, float]:
        """One network, trained once."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.diffusion.tabdiff import TabDiffLearner
        from understudy.engines.training.fit import Settings

        draws, together = (self.draws, 1) if noisy else (1, _TOGETHER)
        learner = TabDiffLearner(
            self.width, self.depth, self.numbers_weight, draws, self.sampling_steps, together
        )
        steps, lr, ema = self.pace(noisy=noisy)
        precision: Any = self.precision
        settings = Settings(
            steps,
            self.batch,
            lr,
            schedule="cosine",
            warmup=min(200, steps // 10),
            ema=ema,
            betas=(0.9, 0.99),
            precision=precision,
        )
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, style=style)
