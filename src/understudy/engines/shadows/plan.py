"""Who learns from what: models in pairs, each of which learns from the half that the other does not.

So every record is inside exactly half of the models, every model has half of the records, and whatever is
held out by pairs holds out as many models with a record as without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.rng import stream

__all__ = ["Columns", "Mask", "Plan", "Shadows", "halves"]

Mask = npt.NDArray[np.bool_]
Columns = dict[str, npt.NDArray[Any]]


def halves(models: int, records: int, rng: np.random.Generator) -> Mask:
    """Return which record is inside which model: (models, records); models 2i and 2i + 1 are a pair.

    >>> inside = halves(4, 5, np.random.default_rng(0))
    >>> inside.sum(axis=0).tolist(), inside.sum(axis=1).tolist()
    ([2, 2, 2, 2, 2], [2, 3, 2, 3])
    """
    if models < 2 or models % 2:
        raise ParameterError(f"shadows: expected an even number of models, from 2 on; got {models}.")
    if records < 2:
        raise ParameterError(f"shadows: expected two records or more, to have halves; got {records}.")
    first = np.arange(records) < records // 2
    drawn = rng.permuted(np.broadcast_to(first, (models // 2, records)), axis=1)
    return np.asarray(np.stack([drawn, ~drawn], axis=1).reshape(models, records))


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """Which records are inside which model, and what each model draws.

    sets   synthetic sets of each model
    rows   of each set
    """

    inside: Mask
    sets: int
    rows: int
    seed: int

    @classmethod
    def of(cls, records: int, models: int, sets: int, seed: int) -> Plan:
        """Return random halves; each set has as many rows as half of the records."""
        return cls(halves(models, records, stream(seed, "shadows", "halves")), sets, records // 2, seed)

    @property
    def models(self) -> int:
        """How many models there are."""
        return len(self.inside)

    def seeds(self, model: int) -> list[int]:
        """Return the seed of a model's training, and behind it those of its sets."""
        draws = stream(self.seed, "shadows", f"model {model}")
        return [int(seed) for seed in draws.integers(2**62, size=1 + self.sets)]


@final
@dataclass(frozen=True, eq=False)
class Shadows:
    """Which records are inside which model, and the rows that each drew, its sets one behind another."""

    inside: Mask
    sets: int
    columns: tuple[Columns, ...]

    @property
    def models(self) -> int:
        """How many models there are."""
        return len(self.inside)

    def drawn(self, model: int, number: int) -> Columns:
        """Return one set of a model."""
        held = self.columns[model]
        rows = len(next(iter(held.values()))) // self.sets
        return {name: values[number * rows : (number + 1) * rows] for name, values in held.items()}
