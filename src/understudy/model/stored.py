"""A sampler that deals out stored rows: what the baselines `copy` and `half` learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Conditions, accepted
from understudy.errors import NothingMatches
from understudy.model.sampler import Columns, Sampler, State

__all__ = ["StoredRows"]


@final
@dataclass(frozen=True)
class StoredRows(Sampler):
    """Stored rows in random order; every matching row comes once before any comes twice."""

    columns: Columns
    conditional: ClassVar[bool] = True

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Deal out rows that satisfy the conditions."""
        if not self.columns:
            return {}
        held = len(next(iter(self.columns.values())))
        deck = np.flatnonzero(accepted(self.columns, conditions, held))
        if len(deck) == 0:
            raise NothingMatches("where: none of the stored rows matches; loosen the conditions.")
        deals = np.broadcast_to(deck, (-(-rows // len(deck)), len(deck)))
        chosen = rng.permuted(deals, axis=1).ravel()[:rows]
        return {name: values[chosen] for name, values in self.columns.items()}

    def state(self) -> State:
        """Return the rows, one tensor per column."""
        tensors = {f"{place}": values for place, values in enumerate(self.columns.values())}
        return tensors, {"names": list(self.columns)}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the rows under their names."""
        return cls({name: tensors[f"{place}"] for place, name in enumerate(facts["names"])})
