"""What private networks are audited on: tiny ones, two tables that are hard on them, and what they tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy import synth
from understudy.measuring.likelihood import has_law, log_ratio
from understudy.model import private_fit
from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Certificate, Ledger, Vault
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.privacy.stream import Stream
from understudy.table.read import read
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.two_worlds import TwoWorlds

__all__ = ["STATISTICS", "lone", "network_methods", "overheard"]

# Full batches and closed forms: thousands of fits are affordable.
_TINY: dict[str, Any] = {
    "rate": 1.0, "noisy_steps": 2, "margins_share": 0.1, "teachers": 50, "batch": 20,
    "device": "cpu",  # steps that a device replays as one graph cannot be overheard
}  # fmt: skip
# Teachers know no row before the first step: many steps, so that one without it is little.
_TAUGHT = {"noisy_steps": 20, "batch": 5}
STATISTICS = ("margins", "training", "both")


def network_methods() -> dict[str, Recipe]:
    """Return every private network by its name, as small as a test can afford.

    >>> {"ctgan", "pategan", "tvae", "nflow"} <= set(network_methods())
    True
    """
    found = {name: synth.get(name) for name in synth.names()}
    return {
        name: _tiny(method.small())
        for name, method in found.items()
        if method.private and issubclass(method.sampler, MatrixSampler)
    }


def _tiny(recipe: Any) -> Recipe:
    names = {each.name for each in fields(recipe)}
    wanted = _TINY | (_TAUGHT if "teachers" in names else {})
    made: Recipe = replace(recipe, **{name: value for name, value in wanted.items() if name in names})
    return made


def lone() -> TwoWorlds:
    """Return worlds of no row at all, and of one: nothing that other rows add hides it.

    >>> [lone().world(having=having).to_arrow().num_rows for having in (False, True)]
    [0, 1]
    """
    whole = read(pa.table({"a": ["x", "y"], "b": ["u", "v"], "n": [0.0, 100.0]}))
    return TwoWorlds("lone", Table(whole.to_arrow().slice(1)), Schema.infer(whole).declare())


def overheard(
    recipe: Recipe, worlds: TwoWorlds, budget: Budget, *, having: bool, seed: int = 0
) -> tuple[Certificate, dict[str, float]]:
    """Fit one world; return its certificate, and how much all that was told speaks for the row."""
    seen = {"margins": 0.0, "training": 0.0}

    def watch(columns: Columns, ledger: Ledger, stream: Stream) -> _Listening:
        return _Listening(Vault(columns, ledger, stream), worlds.raw, seen)

    with patch.object(private_fit, "Vault", watch):
        table = worlds.world(having=having)
        model = recipe.fit(table, schema=worlds.schema, budget=budget, seed=seed, progress=False)
    return model.certificate, seen | {"both": seen["margins"] + seen["training"]}


@final
class _Listening:
    """A vault of one world that listens to what is told of both."""

    def __init__(self, vault: Vault, columns: tuple[Columns, Columns], seen: dict[str, float]) -> None:
        self._vault, self._columns, self._seen = vault, columns, seen
        self.released = vault.released

    def read(self, name: str, mechanism: Mechanism) -> Any:
        """Read as a vault does; the last row of the second world is the one in question."""
        without, having = (mechanism.statistic(columns) for columns in self._columns)
        if has_law(mechanism):
            found = self._vault.read(name, mechanism)
            self._seen["margins"] += log_ratio(mechanism, found, having, without)
            return found
        from understudy.engines.overheard import overhearing

        row: npt.NDArray[np.float32] = having[-1:]
        with overhearing(row) as heard:
            found = self._vault.read(name, mechanism)
        self._seen["training"] += float(np.sum(heard))
        return found

    def map(self, rowwise: Callable[[Columns], Columns]) -> _Listening:
        """Change the rows of both worlds alike."""
        without, having = (rowwise(dict(columns)) for columns in self._columns)
        return _Listening(self._vault.map(rowwise), (without, having), self._seen)
