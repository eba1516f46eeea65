"""A forest of leaves as a sampler: rows from leaves, exact conditions, and the exact density of any row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Condition, Conditions, IsMissing
from understudy.engines.forest.axis import Axis
from understudy.engines.forest.bend import Bend
from understudy.engines.forest.follower import Follower
from understudy.engines.forest.laws import Law, LevelLaw, QuantityLaw
from understudy.engines.forest.partition import Partition, is_sound
from understudy.engines.forest.spread import Spread
from understudy.engines.forest.tally import Tally
from understudy.engines.margin import nothing_at
from understudy.errors import NothingMatches
from understudy.model.forest_imputing import Leaves, fill
from understudy.model.sampler import Columns, Sampler, State

__all__ = ["ForestSampler"]

Floats = npt.NDArray[np.float64]
_DENSITIES = 4_096  # rows whose densities are worked out at a time


@final
@dataclass(frozen=True, eq=False)
class ForestSampler(Sampler):
    """The trees, how many rows each of their leaves had, and the law of every column in every leaf.

    A row is drawn from a leaf, in proportion to its rows, and there each column by itself.
    """

    partition: Partition
    coverage: Floats
    laws: dict[str, Law]
    followers: dict[str, Follower] = field(default_factory=dict)
    conditional: ClassVar[bool] = True

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw leaves at even distances, so that each has its share of rows up to one; then the columns."""
        if not self.laws:
            return {}  # nothing is modelled: the schema alone says what rows are
        weights, laws = self._given(conditions)
        ends = np.cumsum(weights)
        places = (np.arange(rows) + rng.random()) / rows * ends[-1]
        last = int(np.flatnonzero(weights)[-1])
        leaf = np.minimum(
            np.searchsorted(ends, places, side="right"), last
        )  # side by side, as they are alike
        order = rng.permutation(rows)
        drawn: Columns = {name: law.draw(leaf, rng)[order] for name, law in laws.items()}
        return drawn | {name: each.beside(drawn[each.leader]) for name, each in self.followers.items()}

    def impute(self, columns: Columns, rng: np.random.Generator) -> Columns:
        """Return the columns with every missing cell drawn, given the other cells of its row: exactly."""
        return fill(Leaves(self.partition, self.coverage, self.laws, self.followers), columns, rng)

    def log_density(self, columns: Columns) -> Floats:
        """Return the log of the sum over trees of the chance of a row's leaf times all densities there."""
        rows = len(next(iter(columns.values()))) if columns else 0
        parts = [
            self._log_density({name: values[at : at + _DENSITIES] for name, values in columns.items()})
            for at in range(0, rows, _DENSITIES)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _log_density(self, columns: Columns) -> Floats:
        cells = np.stack([law.cells(columns[name]) for name, law in self.laws.items()], axis=1)
        place = np.full(len(self.partition.feature), -1)
        place[self.partition.leaves()] = np.arange(len(self.coverage))
        leaf = place[self.partition.apply(cells)]  # (trees, rows)
        trees, rows = leaf.shape
        with np.errstate(divide="ignore"):
            logs = np.log(self.coverage / self.coverage.sum())[leaf]
            for name, law in self.laws.items():
                found = law.log_density(leaf.ravel(), np.tile(columns[name], trees))
                logs += found.reshape(trees, rows)
            for name, each in self.followers.items():
                logs += np.log(each.agrees(columns[each.leader], columns[name]))
            return np.asarray(np.logaddexp.reduce(logs, axis=0))

    def _given(self, conditions: Conditions) -> tuple[Floats, dict[str, Law]]:
        """Return weights of leaves and laws of columns, given that all conditions hold."""
        weights, laws = self.coverage, dict(self.laws)
        for name, condition in self._led(conditions).items():
            laws[name] = self.laws[name].narrowed(condition)
            share = laws[name].mass() / self.laws[name].mass()
            if not share.any():
                raise _nothing({each: conditions[each] for each in self._askers(name, conditions)})
            weights = weights * share
        if not weights.any():
            raise NothingMatches(
                "where: no leaf that was learned satisfies these conditions together; loosen one."
            )
        return weights, laws

    def _led(self, conditions: Conditions) -> dict[str, Condition]:
        """Return the conditions with those on followers put to their leaders."""
        led = {name: condition for name, condition in conditions.items() if name in self.laws}
        for name, each in self.followers.items():
            if name in conditions:
                asked, also = each.asked(conditions[name]), led.get(each.leader)
                led[each.leader] = Among(asked.allowed & also.allowed) if isinstance(also, Among) else asked
        return led

    def _askers(self, name: str, conditions: Conditions) -> list[str]:
        """Return the columns that were asked for and put a condition on this one: itself or its followers."""
        followers = [other for other, each in self.followers.items() if each.leader == name]
        return [each for each in conditions if each == name or each in followers]

    def state(self) -> State:
        """Return the trees, the coverage and the laws, column by column."""
        tensors = {f"tree.{name}": values for name, values in _arrays(self.partition).items()}
        tensors["coverage"] = self.coverage
        for place, law in enumerate(self.laws.values()):
            tensors |= {f"{place}.{name}": values for name, values in _packed(law).items()}
        for place, follower in enumerate(self.followers.values()):
            tensors[f"follower.{place}"] = follower.values
        leaders = [[name, follower.leader] for name, follower in self.followers.items()]
        return tensors, {"names": list(self.laws), "followers": leaders}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""
        partition = Partition(*(tensors[f"tree.{each.name}"] for each in fields(Partition)))
        # A forged tree may have no end; whatever else is forged shows when rows are drawn.
        if not is_sound(partition, len(facts["names"])):
            raise ValueError("the trees are not trees of these columns")
        if len(partition.leaves()) != len(tensors["coverage"]):
            raise ValueError("the leaves do not belong to these trees")
        laws = {name: _unpacked(tensors, f"{place}.") for place, name in enumerate(facts["names"])}
        followers = {
            name: Follower(leader, tensors[f"follower.{place}"])
            for place, (name, leader) in enumerate(facts["followers"])
        }
        return cls(partition, tensors["coverage"], laws, followers)


def _nothing(asked: Conditions) -> NothingMatches:
    """Return the error for conditions on columns of which one decides the others, or on one column."""
    if len(asked) > 1:
        names = ", ".join(repr(name) for name in asked)
        return NothingMatches(f"where: no row had what is asked of columns {names} together; loosen one.")
    ((name, condition),) = asked.items()
    if isinstance(condition, IsMissing):
        return NothingMatches(f"where: column {name!r} was never missing; ask for a value instead.")
    return nothing_at(name, condition)


def _arrays(part: Any) -> dict[str, npt.NDArray[Any]]:
    return {each.name: getattr(part, each.name) for each in fields(part)}


def _packed(law: Law) -> dict[str, npt.NDArray[Any]]:
    if isinstance(law, LevelLaw):
        return {"ranks": law.ranks, **_arrays(law.tally)}
    parts = (law.axis, law.tally, law.spread, law.bend)
    return {"points": law.points} | {name: values for part in parts for name, values in _arrays(part).items()}


def _unpacked(tensors: Mapping[str, npt.NDArray[Any]], prefix: str) -> Law:
    def part(kind: Any) -> Any:
        return kind(*(tensors[prefix + each.name] for each in fields(kind)))

    if f"{prefix}ranks" in tensors:
        return LevelLaw(tensors[f"{prefix}ranks"], part(Tally))
    return QuantityLaw(part(Axis), tensors[f"{prefix}points"], part(Tally), part(Spread), part(Bend))
