"""A task: predict one column from the others, learn from one table, be tried on real rows never learned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import InputError
from understudy.measuring.encoder import Encoder, Matrix, Scaling, scaler
from understudy.missing import is_missing
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

__all__ = ["Task"]


@final
@dataclass(frozen=True, eq=False)
class Task:
    """The tables of one prediction; rows whose target is missing are left out.

    `train` are the real rows to learn from, `test` the real rows to be tried on, `synthetic` what is judged.
    The features are encoded in the terms of `train`, whichever table a model learns from.
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
        """Return the task of some evidence.

        Without a holdout a quarter of the training rows is kept for trying: rows that the synthesizer saw,
        which flatters it, and a note says so.
        """
        train, synthetic = evidence.coded("train"), evidence.coded("synthetic")
        column = train.column(target or evidence.target)
        notes = [] if target or evidence.chose_target else [f"target: the last column, {column.name!r}"]
        if evidence.has("holdout"):
            test = evidence.coded("holdout")
        else:
            train, test = train.split(len(train) - len(train) // 4, rng)
            notes.append(
                "no holdout: tried on training rows, which the synthesizer may have learned by heart"
            )
        parts = [_known(table, column) for table in (train, test, synthetic)]
        drawn = [table.draw(rows, rng) for table in parts]
        notes += [
            f"{rows:,} of {len(part):,} {role} rows were drawn"
            for role, part in zip(("train", "test", "synthetic"), parts, strict=True)
            if len(part) > rows
        ]
        for role, table in zip(("train", "test", "synthetic"), drawn, strict=True):
            if len(table) < 2:
                raise InputError(
                    f"task: the {role} table has fewer than 2 rows with a known {column.name!r}."
                )
        encoder = Encoder.fit(drawn[0], scaling, {column.name})
        return cls(column, drawn[0], drawn[1], drawn[2], encoder, tuple(notes))

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

    def of_real(self, rng: np.random.Generator) -> Task:
        """Return the null: one half of the real training rows judged against the other half."""
        one, other = self.train.split(len(self.train) // 2, rng)
        return replace(self, train=one, synthetic=other.draw(len(self.synthetic), rng))


def _known(table: CodedTable, column: CodedColumn) -> CodedTable:
    return table.take(np.flatnonzero(~is_missing(table[column.name])))
