"""NFlow: a normalising flow with an exact likelihood (Durkan et al. 2019, Neural Spline Flows).

Numbers are ranks that rational-quadratic splines move onto noise; levels are dequantised, and their
probabilities exact. `Model.log_density` tells how likely the flow finds rows. What differs from public code
stands in `engines/flows/nflow.py`.

Guarantee, with a budget: margins come from `CountTables`, the weights from `NoisyTraining`, both planned and
paid for before the first row is read. Codec, first guesses, rows and densities follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, final

from understudy import check
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["NFlow"]

STAGE = "flow"


@final
@dataclass(frozen=True)
class NFlow(NetworkRecipe):
    """A flow of splines and levels (NFlow): rows in one pass, and an exact density of any row.

    Each of at most `couplings` networks, `width` wide and `depth` deep, moves a column as those before it
    say; splines have `bins` bins up to `reach` deviations. A share `aside` of the rows judges every `every`
    steps, and training ends when they got no likelier `patience` times. Around given cells a row is drawn
    `goes` times, and one go kept. `epochs` takes the place of `steps` where it is not 0. With a budget,
    `noisy_steps` steps on a share `rate` of the rows take the place of `steps` and `batch`, and `noisy_lr`
    that of `lr`; no rows judge, and `few` has no part.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    """

    width: int = check.integer(64, low=1, high=16_384)
    depth: int = check.integer(2, low=1, high=64)
    bins: int = check.integer(16, low=1, high=500)
    reach: float = check.number(5.0, low=0.1, high=100.0)
    couplings: int = check.integer(64, low=1, high=10_000)
    goes: int = check.integer(64, low=1, high=10_000)
    steps: int = check.integer(3_000, low=1, high=10_000_000)
    epochs: int = check.integer(0, low=0, high=1_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.99, low=0.0, high=0.999999)
    aside: float = check.number(0.1, low=0.0, high=0.9)
    every: int = check.integer(100, low=1, high=1_000_000)
    patience: int = check.integer(5, low=1, high=1_000_000)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(5e-3, low=1e-7, high=1.0)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")

    @classmethod
    def paper(cls) -> Self:
        """Return public settings: 100 wide, 8 bins up to 3 deviations, 1,000 epochs in 200s."""
        return cls(width=100, bins=8, reach=3.0, epochs=1_000, batch=200, lr=1e-3, ema=0.0, aside=0.0, few=0)

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford."""
        return cls(width=8, depth=1, bins=4, goes=8, steps=12, batch=64, every=6, noisy_steps=4)

    def stages(self) -> dict[str, float]:
        """All couplings, trained together."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.flows.couplings import FlowShape
        from understudy.engines.flows.nflow import NflowLearner
        from understudy.engines.training.fit import Settings

        shape = FlowShape(self.width, self.depth, self.bins, self.reach, self.couplings)
        steps, lr, ema = self.pace(noisy=noisy)
        settings = Settings(
            steps,
            self.batch,
            lr,
            schedule="cosine",
            warmup=min(100, steps // 10),
            ema=ema,
            validation=0.0 if noisy else self.aside,
            patience=self.patience,
            every=self.every,
        )
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(NflowLearner(shape, self.goes), {STAGE: settings}, self.device, style=style)
