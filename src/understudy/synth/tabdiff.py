"""TabDiff: one diffusion of numbers and levels in continuous time (Shi et al. 2025), by a small network.

Numbers of few distinct values are levels here: a network that has to tell 40 hours from 40.3 by itself gives
itself away.

Guarantee, with a budget: margins come from `CountTables`, the weights from `NoisyTraining`, both planned and
paid for before the first row is read. Codec, first guesses and rows follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self, final

import numpy as np

from understudy import check
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE, MatrixSampler
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TabDiff"]

STAGE = "denoiser"


@final
@dataclass(frozen=True)
class TabDiff(Recipe):
    """One network that denoises numbers and uncovers levels (TabDiff): the closest of all to real tables.

    With a budget, `noisy_steps` steps on a share `rate` of the rows take the place of `steps` and `batch`,
    and `noisy_lr` that of `lr`; `draws` is how often a row is noised in each. `few` has no part there.
    """

    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=0, high=64)
    steps: int = check.integer(3_700, low=1, high=10_000_000)
    batch: int = check.integer(256, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    numbers_weight: float = check.number(0.3, low=1e-6, high=1e6)
    few: int = check.integer(128, low=0, high=100_000)
    sampling_steps: int = check.integer(20, low=1, high=10_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(1e-2, low=1e-7, high=1.0)
    draws: int = check.integer(4, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    sampler: ClassVar[type[Sampler]] = MatrixSampler
    private: ClassVar[bool] = True
    resumable: ClassVar[bool] = True

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's sizes: 8,000 epochs of Adult in batches of 4,096, and a wide network."""
        return cls(width=1_024, depth=4, steps=64_000, batch=4_096, lr=1e-3, ema=0.997, few=0)

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(width=16, depth=1, steps=12, batch=64, sampling_steps=4, noisy_steps=4, draws=2)

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> MatrixSampler:
        """Train on the rows themselves."""
        return neural_fit.learn_openly(self._openly, vault, schema, rng, progress)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for margins and for the noisy steps of the one network."""
        stages = {STAGE: neural_fit.Stage(1.0, self.noisy_steps, self.rate)}
        return neural_fit.asks(schema, stages, self.margins_share)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> MatrixSampler:
        """Buy margins, and train through noisy gradients."""
        return neural_fit.learn_privately(self._privately, vault, schema, events, rng=rng, progress=progress)

    def _openly(self) -> Method:
        return self._method(1, self.steps, self.lr, self.ema)

    def _privately(self) -> Method:
        # A noisy training is short: an average over its last few dozen steps is what pays.
        return self._method(self.draws, self.noisy_steps, self.noisy_lr, min(self.ema, 0.99))

    def _method(self, draws: int, steps: int, lr: float, ema: float) -> Method:
        from understudy.engines.diffusion.tabdiff import TabDiffLearner
        from understudy.engines.training.fit import Settings

        learner = TabDiffLearner(self.width, self.depth, self.numbers_weight, draws, self.sampling_steps)
        settings = Settings(
            steps, self.batch, lr, schedule="cosine", warmup=min(200, steps // 10), ema=ema, betas=(0.9, 0.99)
        )
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, style=style)
