"""FinDiff: levels as points, noised and denoised together with the numbers (Sattarov et al. 2023; paper 003).

Differences to the papers, in the default: points are spread evenly and not at random, a level is drawn by how
likely the network takes it to be and not by the nearest point, and 25 of the 500 times are visited on the way
back, without fresh noise: on Adult closer than 50 with it (mean total variation of pairs .038 against .041).
Numbers of few distinct values are levels.

Guarantee, with a budget (DP-FinDiff): margins come from `CountTables`, the weights from `NoisyTraining`, both
planned and paid for before the first row is read. Codec, first guesses and rows follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, final

from understudy import check
from understudy.errors import ParameterError
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["FinDiff"]

STAGE = "denoiser"
_OF_LEARNER = ("embedding", "embedding_width", "head", "predicts", "network", "width", "depth", "times")
_OF_WALKS = ("numbers_weight", "sampling_steps", "eta", "again")


@final
@dataclass(frozen=True)
class FinDiff(NetworkRecipe):
    """Gaussian noise on numbers and on points that stand for levels, and one network that removes it.

    `embedding` says where points lie: fixed at random as in the papers, fixed and evenly spread, or learned.
    `head` says how a level is read off: drawn by its likelihood, or the nearest point of its column; learned
    points need the former. `predicts` is what the network tells of the rest: noise as in the papers, or v, of
    which a network that knows nothing does best to say 0. `network` "plain" is the papers' perceptron, while
    "residual" has layer norms. `times` is T, of which `sampling_steps` are visited on the way back, with
    fresh noise as `eta` says: 1 all of it, 0 none (DDIM). `again` is how often each step is walked around
    known cells (RePaint).

    With a budget, `noisy_steps` steps on a share `rate` of the rows take the place of `steps` and `batch`,
    and `noisy_lr` that of `lr`; `draws` is how often a row is noised in each. `few` has no part there.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    embedding: str = check.choice("spread", "spread", "random", "learned")
    embedding_width: int = check.integer(4, low=1, high=256)
    head: str = check.choice("logits", "logits", "nearest")
    predicts: str = check.choice("v", "v", "eps")
    network: str = check.choice("residual", "residual", "plain")
    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=0, high=64)
    times: int = check.integer(500, low=1, high=100_000)
    steps: int = check.integer(4_500, low=1, high=10_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(3e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    numbers_weight: float = check.number(1.0, low=1e-6, high=1e6)
    few: int = check.integer(128, low=0, high=100_000)
    sampling_steps: int = check.integer(25, low=1, high=100_000)
    eta: float = check.number(0.0, low=0.0, high=1.0)
    again: int = check.integer(5, low=1, high=100)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(1e-2, low=1e-7, high=1.0)
    draws: int = check.integer(4, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    def __post_init__(self) -> None:
        NetworkRecipe.__post_init__(self)
        if self.embedding == "learned" and self.head == "nearest":
            raise ParameterError(
                "findiff: learned points need head 'logits'; got 'nearest', under which they fall together."
            )

    @classmethod
    def paper(cls) -> Self:
        """Return the reference's setting: random points in a plane, four layers of 1,024, all 500 times.

        500 epochs of Adult's 32,561 rows in batches of 512 are 31,798 steps.
        """
        return cls(
            embedding="random",
            embedding_width=2,
            head="nearest",
            predicts="eps",
            network="plain",
            width=1_024,
            depth=4,
            steps=31_798,
            lr=1e-4,
            ema=0.0,
            few=0,
            sampling_steps=500,
            eta=1.0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(width=16, depth=1, steps=12, batch=64, sampling_steps=4, noisy_steps=4, draws=2, again=1)

    def stages(self) -> dict[str, float]:
        """One network, trained once."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.diffusion.findiff import FinDiffLearner
        from understudy.engines.training.fit import Settings

        own: dict[str, Any] = {name: getattr(self, name) for name in _OF_LEARNER + _OF_WALKS}
        # The reference's plain training is Adam with a cosine and nothing else.
        plain = self.network == "plain"
        steps, lr, ema = self.pace(noisy=noisy)
        precision: Any = self.precision
        settings = Settings(
            steps,
            self.batch,
            lr,
            schedule="cosine",
            warmup=0 if plain else min(200, steps // 10),
            ema=ema,
            betas=(0.9, 0.999 if plain else 0.99),
            precision=precision,
        )
        learner = FinDiffLearner(**own, draws=self.draws if noisy else 1, wide=self.head == "nearest")
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, style=style)
