"""A lesson: one table of a task as an evaluator reads it, features and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.encoder import Matrix, scaler
from understudy.measuring.task import Task
from understudy.table.coded import CodedTable

__all__ = ["Lesson"]

Labels = npt.NDArray[Any]
Rows = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class Lesson:
    """Features in two forms, and labels: codes, or normal scores of a quantity (paper 004).

    `matrix` is the encoder's: levels one-hot. `cells` has one column per column of the table, for networks
    that look levels up: `quantities` scaled numbers first (NaN missing), then codes (-1 missing) of
    columns with so many known `levels`.
    """

    matrix: Matrix
    cells: Matrix
    quantities: int
    levels: tuple[int, ...]
    labels: Labels
    regression: bool

    @classmethod
    def of(cls, task: Task, table: CodedTable) -> Lesson:
        """Return a table of a task; what is fitted is fitted on the task's training rows."""
        columns = [column for column in table.domain if column.name != task.target.name]
        numbers = [column for column in columns if column.quantity]
        levels = [column for column in columns if not column.quantity]
        scaled = [scaler(task.train[c.name], c, "normal")(table[c.name]) for c in numbers]
        cells = np.column_stack([*scaled, *(table[c.name] for c in levels), np.zeros((len(table), 0))])
        labels = task.normal_labels(table) if task.is_regression else task.labels(table)
        known = tuple(column.known for column in levels)
        return cls(task.features(table), cells, len(numbers), known, labels, task.is_regression)

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Rows) -> Lesson:
        """Return the given rows."""
        return replace(self, matrix=self.matrix[rows], cells=self.cells[rows], labels=self.labels[rows])
