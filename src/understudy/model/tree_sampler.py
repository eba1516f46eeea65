"""A junction tree of merged cells as a sampler: exact conditions, and rows that keep to the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Condition, Conditions
from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import clique, lined_up
from understudy.engines.marginals.estimate import TreeModel
from understudy.engines.marginals.generate import draw_rows
from understudy.engines.marginals.junction import JunctionTree
from understudy.errors import NothingMatches
from understudy.model.cells import Cells, cells_from, cells_in, values_in
from understudy.model.sampler import Columns, Sampler, State
from understudy.model.structural_zeros import without_zeros
from understudy.model.tables import Tables
from understudy.table.schema import Schema

__all__ = ["TreeSampler"]


@final
@dataclass(frozen=True, eq=False)
class TreeSampler(Sampler):
    """Cells of every column, and a tree model over them; attributes past the columns are hidden."""

    cells: dict[str, Cells]
    model: TreeModel
    rows: int | None = None
    conditional: ClassVar[bool] = True

    @classmethod
    def of(cls, tables: Tables, model: TreeModel) -> TreeSampler:
        """Return the sampler of a model of these tables."""
        return cls(tables.cells, model, round(tables.rows) if tables.told else None)

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw cells from the model, given the conditions, and a value in each."""
        model = self._given(conditions) if conditions else self.model
        codes = draw_rows(model, rows, rng)
        return values_in(self.cells, codes[: len(self.cells)], rng, conditions)

    def avoiding(self, schema: Schema) -> TreeSampler:
        """Return the sampler with no weight on cells that the rules of a schema rule out."""
        return replace(self, model=without_zeros(self.model, self.cells, schema))

    def _given(self, conditions: Conditions) -> TreeModel:
        """Return the model under conditions: each cell weighs what share of it satisfies them."""
        potentials = list(self.model.potentials)
        places = {name: place for place, name in enumerate(self.cells)}
        for name, condition in conditions.items():
            home = self.model.tree.home((places[name],))
            weight = _logged(self.cells[name], condition, name)
            of = self.model.tree.cliques[home]
            potentials[home] = potentials[home] + lined_up(weight, (places[name],), of)
        marginals = marginals_of(self.model.tree, potentials, self.model.total)
        if not np.isfinite(marginals[0]).all():
            raise NothingMatches(
                "where: these conditions exclude each other in what was learned; loosen one."
            )
        return replace(self.model, potentials=tuple(potentials), marginals=tuple(marginals))

    def state(self) -> State:
        """Return cells and potentials; marginals follow from them."""
        tensors = cells_in(self.cells)
        for place, potential in enumerate(self.model.potentials):
            tensors[f"potential.{place}"] = potential
        tree = self.model.tree
        facts = {
            "names": list(self.cells),
            "cliques": [list(each) for each in tree.cliques],
            "parents": list(tree.parents),
            "total": self.model.total,
            "rows": self.rows,
        }
        return tensors, facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""
        cells = cells_from(tensors, facts["names"])
        cliques = tuple(tuple(each) for each in facts["cliques"])
        parents = tuple(facts["parents"])
        shared = (
            clique(set(each) & set(cliques[parent]))
            for each, parent in zip(cliques[1:], parents[1:], strict=True)
        )
        tree = JunctionTree(cliques, parents, (clique(()), *shared))
        potentials = tuple(tensors[f"potential.{place}"] for place in range(len(cliques)))
        found = {
            attribute: size
            for of, values in zip(cliques, potentials, strict=True)
            for attribute, size in zip(of, values.shape, strict=True)
        }
        sizes = tuple(found[attribute] for attribute in sorted(found))
        marginals = tuple(marginals_of(tree, potentials, facts["total"]))
        return cls(cells, TreeModel(sizes, tree, potentials, marginals, facts["total"]), facts["rows"])


def _logged(cells: Cells, condition: Condition, name: str) -> npt.NDArray[np.float64]:
    weight = cells.evidence(condition)
    if not weight.any():
        raise NothingMatches(f"where: no value of column {name!r} that was learned satisfies its condition.")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weight))
