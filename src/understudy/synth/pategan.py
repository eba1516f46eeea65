"""PATE-GAN: teachers on parts of the rows vote, and a student passes on what it hears (Jordon et al. 2019).

Every row belongs to one of many teachers, for good. Each teacher learns to tell its own rows from made ones;
on every made row all of them vote, and noise is added to the count. A student learns these noisy votes on
made rows, and the generator learns to please the student, who never sees a real row.

Guarantee, with a budget: margins come from `CountTables`, generator and student from `NoisyVotes`, both
planned and paid for before the first row is read: every vote at the same price, however it falls, so that
nothing about the rows decides when to stop. Codec, the number of teachers and shares of conditions follow
from the margins. The paper's accountant looks at the votes to price them, and its noise is Laplace's; that of
the discrete Gaussian costs less over thousands of votes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

from understudy import check
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe
from understudy.privacy import Ask
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["PATEGAN"]

STAGE = "student"
_BETAS = (0.5, 0.9)  # as in all adversarial networks here


@final
@dataclass(frozen=True)
class PATEGAN(NetworkRecipe):
    """A generator against a student that hears noisy votes of teachers (PATE-GAN).

    There are `teachers`, or with 0 one for about every `rows_each` rows, of one hidden layer of
    `teacher_width` (0: none), and each looks at `look` of its rows in a step. `votes` is what the student
    learns: their "share", noise and all, or what the "majority" says. In every step `batch` rows are made and
    voted on; the student goes over the last `memory` of them again and again (0: it does not), and the
    generator begins after a share `alone` of the steps. `latent`, `width`, `depth`, `norm` and `temperature`
    are those of `ctgan`, and levels are asked for by their shares. With a budget, `noisy_steps` and
    `noisy_lr` take the place of `steps` and `lr`, and numbers are ranks by bought quantiles; without one,
    votes are told as they are, and a number of at most `few` values is written like levels.
    """

    teachers: int = check.integer(0, low=0, high=100_000)
    rows_each: int = check.integer(30, low=1, high=10_000_000)
    teacher_width: int = check.integer(16, low=0, high=4_096)
    look: int = check.integer(16, low=1, high=100_000)
    votes: str = check.choice("share", "share", "majority")
    memory: int = check.integer(60_000, low=0, high=100_000_000)
    alone: float = check.number(0.6, low=0.0, high=0.99)
    temperature: float = check.number(0.2, low=1e-3, high=100.0)
    latent: int = check.integer(64, low=1, high=16_384)
    width: int = check.integer(128, low=1, high=16_384)
    depth: int = check.integer(2, low=1, high=64)
    norm: str = check.choice("layer", "layer", "none")
    steps: int = check.integer(1_000, low=1, high=10_000_000)
    batch: int = check.integer(128, low=1, high=1_000_000)
    lr: float = check.number(1e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.99, low=0.0, high=0.999999)
    weight_decay: float = check.number(1e-6, low=0.0, high=1.0)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(400, low=1, high=1_000_000)
    noisy_lr: float = check.number(1e-3, low=1e-7, high=1.0)
    margins_share: float = check.number(0.15, low=0.01, high=0.9)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    federates: ClassVar[bool] = False

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's form: a teacher for every 1,000 rows, batches of 64, and the majority's word."""
        return cls(
            rows_each=1_000,
            teacher_width=0,
            look=64,
            votes="majority",
            memory=0,
            alone=0.0,
            depth=1,
            norm="none",
            batch=64,
            ema=0.0,
            few=0,
        )

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford."""
        return cls(
            rows_each=40,
            teacher_width=4,
            look=4,
            latent=8,
            width=16,
            depth=1,
            steps=12,
            batch=20,
            noisy_steps=4,
        )

    def stages(self) -> dict[str, float]:
        """One play, of which the votes alone have a price."""
        return {STAGE: 1.0}

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for margins, and for every vote of every step."""
        votes = neural_fit.Stage(1.0, self.noisy_steps * self.batch, 1.0, "votes")
        return neural_fit.asks(schema, {STAGE: votes}, self.margins_share)

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.gan.duel import Rules
        from understudy.engines.gan.gan import GanLearner
        from understudy.engines.gan.networks import Size
        from understudy.engines.pate.school import Teaching
        from understudy.engines.training.fit import Settings

        steps, lr, ema = self.pace(noisy=noisy)
        settings = Settings(
            steps, self.look, lr, optimizer="adam", betas=_BETAS, weight_decay=self.weight_decay, ema=ema
        )
        norm: Any = self.norm
        votes: Any = self.votes
        size = Size(self.latent, self.width, self.depth, norm)
        rules = Rules("logistic", 0.0, self.temperature, bounded=False, logs=False, size=size)
        memory = min(self.memory, steps * self.batch)
        teaching = Teaching(
            self.teachers, self.rows_each, self.teacher_width, votes, memory, round(self.alone * steps)
        )
        learner = GanLearner(rules, self.batch, teaching)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, style=replace(STYLE, few=self.few))
