"""A private fit that an auditor watches: what was released, what it claims, and what the model says of rows.

The noise has its real law, but its key is a test's (`privacy/replay.py`): an audit can be made again, and
what it fits is never given to anybody. A fit that is `resumed` is cut off in its training and taken up again,
in a folder of its own: a guarantee holds over a run that died, so an audit must be able to look at one.
"""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.errors import ParameterError, UnderstudyError
from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Certificate
from understudy.privacy.mechanism import Mechanism
from understudy.privacy.replay import Around, Tape, overreach, recording, replaying, strays
from understudy.privacy.vault import NOT_PRIVATE
from understudy.table.raw import encode, raw_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

if TYPE_CHECKING:
    from understudy.engines.dpsgd.training import NoisyTraining
    from understudy.engines.pate.votes import NoisyVotes

__all__ = ["AuditedFit", "Fitting"]


@final
@dataclass(frozen=True)
class AuditedFit:
    """A model, the tape of all that it was made of, and what each noisy step told of a row, in order.

    `unheard` trainings ran on a device, as one captured graph each, into which nobody listens.
    """

    model: Model
    tape: Tape
    heard: tuple[float, ...] = ()
    unheard: int = 0

    @property
    def claim(self) -> Certificate:
        """The certificate without the entry that says a tape was on: that of the same fit for real."""
        found = self.model.certificate
        return replace(found, entries=tuple(e for e in found.entries if e.what != NOT_PRIVATE))

    def losses(self, rows: pa.Table, seed: int) -> npt.NDArray[np.float64] | None:
        """Return how badly the diffusion of a model tells the noise in each row; None if it has none."""
        sampler, schema = self.model.sampler, self.model.schema
        if not isinstance(sampler, MatrixSampler) or sampler.generator is None:
            return None
        from understudy.engines.diffusion.told_noise import losses_of

        columns = encode(raw_columns(rows, schema), schema)
        matrix = sampler.codec.encode(columns, np.random.default_rng(seed))
        return losses_of(sampler.generator, matrix, seed=seed)


@final
@dataclass
class _Overheard:
    """What the noisy steps of a fit told of a row, and how many trainings could not be listened to."""

    told: list[float] = field(default_factory=list)
    unheard: int = 0


@final
@dataclass(frozen=True)
class Fitting:
    """How all tables of an audit are fitted: the recipe, what is declared, the budget, and if in one go."""

    recipe: Recipe
    schema: Schema
    budget: Budget
    resumed: bool = False

    def fit(self, table: pa.Table, seed: int, row: pa.Table | None = None) -> AuditedFit:
        """Fit one table; noise and draws follow from the seed. Noisy steps are listened to for a row."""
        heard = _Overheard()
        around = None if row is None else self._listening(row, heard)
        if not self.resumed:
            with recording(seed, around) as tape:
                model = self._fit(table, seed)
            return AuditedFit(model, tape, tuple(heard.told), heard.unheard)
        with tempfile.TemporaryDirectory() as folder:
            self._begin(table, seed, Path(folder), around)
            with recording(seed, around) as tape:
                model = self._fit(table, seed, Path(folder))
        return AuditedFit(model, tape, tuple(heard.told), heard.unheard)

    def replay(self, table: pa.Table, recorded: Tape, seed: int) -> Tape:
        """Fit another table with the same releases, and return what the mechanisms saw of it."""
        with replaying(recorded) as tape:
            self._fit(table, seed)
        return tape

    def replayed(self, table: pa.Table, recorded: Tape, seed: int) -> tuple[Tape | None, list[str]]:
        """Replay on a neighbour; return what it saw, and what it changed and must not.

        That is questions, and inputs beyond their sensitivity. No tape where the fit did not come to its end.
        """
        try:
            found = self.replay(table, recorded, seed)
        except UnderstudyError as error:
            return None, [str(error)]  # it asked for something else: that is a finding, not a failure
        except (ValueError, LookupError, TypeError) as error:
            # What was released fits no question of this fit. Its own words may tell a cell: only their kind.
            return None, [f"with the same releases the fit ends in a {type(error).__name__}"]
        return found, strays(recorded, found) + overreach(recorded, found)

    def broken(self, table: pa.Table, recorded: Tape, seed: int) -> list[str]:
        """Return what a neighbour changes and must not."""
        return self.replayed(table, recorded, seed)[1]

    def _fit(self, table: pa.Table, seed: int, run: Path | None = None) -> Model:
        return self.recipe.fit(
            Table(table), schema=self.schema, budget=self.budget, seed=seed, progress=False, run=run
        )

    def _begin(self, table: pa.Table, seed: int, run: Path, around: Around | None) -> None:
        """Fit until the first checkpoint of a training, and die there."""
        from understudy.engines.training.cutting import CutOffError, cut_off

        try:
            with recording(seed, around), cut_off():
                self._fit(table, seed, run)
        except CutOffError:
            return
        raise ParameterError(
            f"{self.recipe.name()}: nothing was there to be cut off and resumed; it takes a training that is "
            "kept, of more steps than a block has. Try more noisy_steps, or another recipe."
        )

    def _listening(self, row: pa.Table, heard: _Overheard) -> Around | None:
        """Return what listens to trainings: it knows the row as they see it."""
        if not issubclass(self.recipe.sampler, MatrixSampler):
            return None  # no networks: no torch is loaded for it
        from understudy.engines.dpsgd.training import NoisyTraining
        from understudy.engines.overheard import overhearing
        from understudy.engines.pate.votes import NoisyVotes

        columns = encode(raw_columns(row, self.schema), self.schema)

        def around(mechanism: Mechanism) -> AbstractContextManager[object]:
            if not isinstance(mechanism, NoisyTraining | NoisyVotes):
                return nullcontext()
            if _on_device(mechanism):
                heard.unheard += 1
                return nullcontext()
            return overhearing(mechanism.statistic(columns), mechanism.trainee.inputs, heard.told)

        return around


def _on_device(mechanism: NoisyTraining | NoisyVotes) -> bool:
    return next(mechanism.trainee.model.parameters()).device.type != "cpu"
