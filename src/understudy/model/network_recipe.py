"""What recipes of networks share: the same learner in the open and within a budget, and what it asks for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

import numpy as np

from understudy.model import neural_fit
from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.teacher import TAUGHT, Teacher
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["NetworkRecipe", "Pace"]

_LONGEST = 0.99  # a noisy training is short: an average over its last few dozen steps is what pays


@final
class Pace(NamedTuple):
    """How long a network is trained, how fast, and over how much of that its weights are averaged."""

    steps: int
    lr: float
    ema: float


class NetworkRecipe(Recipe):
    """A recipe whose networks are trained one after the other, each stage a share of a budget.

    With a budget every stage takes `noisy_steps` steps on a share `rate` of the rows, at `noisy_lr`. A recipe
    with `epochs` takes so many times as many steps as there are batches, instead of `steps`, where that is
    not 0. In the form "teacher_table" (`guarantee`) a tree of marginals reads the rows in its place, and the
    network is trained as in the open on `teacher_rows` rows that are drawn from it (`model/teacher.py`).
    """

    steps: int
    lr: float
    ema: float
    noisy_steps: int
    noisy_lr: float
    rate: float
    margins_share: float
    batch: int
    epochs: int = 0
    guarantee: str = "sound"
    teacher_rows: int = 50_000
    teacher_steps: int = 500
    sampler: ClassVar[type[Sampler]] = MatrixSampler
    private: ClassVar[bool] = True
    resumable: ClassVar[bool] = True
    federates: ClassVar[bool] = True  # whether each network has a loss of its own, and no game is played

    @abstractmethod
    def stages(self) -> dict[str, float]:
        """Return the stages of the training, and the share of each in what the margins leave."""

    @abstractmethod
    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how its stages are trained; torch is loaded here and not before."""

    def refuse_unfit(self, schema: Schema) -> None:
        """Refuse a schema that the settings do not fit; most fit all."""

    def pace(self, *, noisy: bool) -> Pace:
        """Return how the first stage is trained."""
        if noisy:
            return Pace(self.noisy_steps, self.noisy_lr, min(self.ema, _LONGEST))
        return Pace(self.steps, self.lr, self.ema)

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> MatrixSampler:
        """Train on the rows themselves, or on a teacher's that was learned from them."""
        self.refuse_unfit(schema)
        if teacher := _teacher_of(self, schema):
            tree, method = teacher.learned(vault, schema, progress), _open_method(self, teacher.rows)
            return teacher.teach(method, tree, schema, rng=rng, progress=progress)
        rows = 0
        if self.epochs and modelled(schema):
            columns = vault.open("how many rows there are: the length of an epoch", "preprocess")
            rows = len(next(iter(columns.values())))
        return neural_fit.learn_openly(_open_method(self, rows), vault, schema, rng, progress)

    def batches(self, rows: int) -> int:
        """Return how many steps see all rows once."""
        return -(-rows // self.batch)

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for margins and for the noisy steps of every stage, or for a teacher's tables instead."""
        self.refuse_unfit(schema)
        if teacher := _teacher_of(self, schema):
            return teacher.asks(schema)
        why = neural_fit.OF_A_BATCH if self.guarantee == "paper" else ""
        stages = {
            name: neural_fit.Stage(share, self.noisy_steps, self.rate, because=why)
            for name, share in self.stages().items()
        }
        return neural_fit.asks(schema, stages, self.margins_share)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> MatrixSampler:
        """Buy margins, and train every stage through noisy gradients; or buy what a teacher needs."""
        if teacher := _teacher_of(self, schema):
            tree = teacher.learned_privately(vault, schema, events, progress)
            return teacher.teach(_open_method(self, teacher.rows), tree, schema, rng=rng, progress=progress)
        return neural_fit.learn_privately(
            lambda: self.method(noisy=True), vault, schema, events, rng=rng, progress=progress
        )


def _teacher_of(recipe: NetworkRecipe, schema: Schema) -> Teacher | None:
    """Return who reads the rows in a recipe's place, if anybody does."""
    taught = recipe.guarantee == TAUGHT and modelled(schema)
    return Teacher(recipe.teacher_rows, recipe.teacher_steps) if taught else None


def _open_method(recipe: NetworkRecipe, rows: int) -> Callable[[], Method]:
    """Return how a recipe is trained in the open, for as many steps as its epochs of so many rows have."""
    if not (recipe.epochs and rows):
        return partial(recipe.method, noisy=False)
    # Every recipe is a dataclass; that this abstract one's heirs are, the type checker cannot know.
    known: Any = recipe
    made: NetworkRecipe = replace(known, epochs=0, steps=recipe.epochs * recipe.batches(rows))
    return partial(made.method, noisy=False)
