"""A task: predict one column from the others, learn from one table, be tried on real rows never learned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError, TooFewRows
from understudy.measuring.encoder import Encoder, Matrix, Scaling, scaler
from understudy.measuring.trio import Trio
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

__all__ = ["Task", "target_of"]


@final
@dataclass(frozen=True, eq=False)
class Task:
    """The tables of one prediction; rows whose target is missing are left out.

    `train` are the real rows to learn from, `test` the real rows to be tried on, `synthetic` what is judged.
    The features are encoded in the terms of `train`, whichever table a model learns from. All tables are in
    their canonical form (measuring/canonical.py), so that codes are not those of the schema.
    """

    target: CodedColumn
    train: CodedTable
    test: CodedTable
    synthetic: CodedTable
    encoder: Encoder
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        rng: np.random.Generator,
        *,
        target: str = "",
        rows: int = 10**9,
        scaling: Scaling = "standard",
    ) -> Task:
        """Return the task of some evidence: to predict `target`, or else the evidence's own."""
        column = target_of(evidence, target)
        trio = Trio.of(evidence, rng).known(column.name).draw(rows, rng)
        tables = {"train": trio.train, "test": trio.test, "synthetic": trio.synthetic}
        for role, table in tables.items():
            if len(table) < 2:
                raise TooFewRows(
                    f"task: the {role} table has fewer than 2 rows with a known {column.name!r}; "
                    "name another target."
                )
        said = () if target or evidence.chose_target else (f"target: the last column, {column.name!r}",)
        encoder = Encoder.fit(trio.train, scaling, {column.name})
        return cls(column, trio.train, trio.test, trio.synthetic, encoder, (*said, *trio.notes))

    @property
    def is_regression(self) -> bool:
        """Whether a quantity is predicted."""
        return self.target.quantity

    def features(self, table: CodedTable) -> Matrix:
        """Return the encoded columns other than the target."""
        return self.encoder.matrix(table)

    def labels(self, table: CodedTable) -> npt.NDArray[Any]:
        """Return the target: codes, or floats in its own unit."""
        return table[self.target.name]

    def normal_labels(self, table: CodedTable) -> Matrix:
        """Return a quantity's quantiles among the training rows, as standard normal scores."""
        scale = scaler(self.train[self.target.name], self.target, "normal")
        return scale(table[self.target.name])

    def reference(self, rng: np.random.Generator) -> CodedTable:
        """Return real rows to learn from, as many as there are synthetic ones if there are so many."""
        return self.train.draw(len(self.synthetic), rng)

    def of_real(self, rng: np.random.Generator) -> Task:
        """Return the null: one half of the real training rows judged against the other half."""
        halves = Trio(self.train, self.test, self.synthetic, self.notes).of_real(rng)
        return replace(self, train=halves.train, synthetic=halves.synthetic, notes=halves.notes)


def target_of(evidence: Evidence, target: str) -> CodedColumn:
    """Return the column that is named, or else the evidence's own target; refuse a name that is none."""
    name = target or evidence.target
    for column in evidence.coded("train").domain:
        if column.name == name:
            return column
    raise ParameterError(f"task: target must be a column that can be judged; got {target!r}.")
