"""Checks: identifiers are made, never copied."""

from __future__ import annotations

import uuid
from functools import lru_cache

import pyarrow as pa

from understudy.model.recipe import Recipe
from understudy.rng import stream
from understudy.testing.fitting import Check, fit, in_arrow

__all__ = ["CHECKS"]

_ROWS = 200


def ids_are_unique(recipe: Recipe) -> None:
    """No id comes twice, also when more rows are drawn than there were."""
    fake = in_arrow(fit(recipe, _table()).sample(3 * _ROWS, seed=31))
    for name in ("code", "number_id", "uuid"):
        found = fake.column(name).to_pylist()
        assert len(set(found)) == len(found), f"column {name!r}: an id came twice"


def ids_are_never_copied(recipe: Recipe) -> None:
    """Real ids come back no more often than chance makes them: here, three would be one in a million."""
    real = _table()
    fake = in_arrow(fit(recipe, real).sample(_ROWS, seed=32))
    for name in ("code", "number_id", "uuid"):
        # 200 x 200 chances of one in 10^7 (or less) give 0.004 on average, and three with 1e-8.
        copied = set(real.column(name).to_pylist()) & set(fake.column(name).to_pylist())
        assert len(copied) < 3, f"column {name!r}: {len(copied)} real ids came back"


def ids_look_like_ids(recipe: Recipe) -> None:
    """An id keeps its template and its type."""
    fake = in_arrow(fit(recipe, _table()).sample(50, seed=33))
    assert all(len(text) == 9 and text[:2] == "K-" for text in fake.column("code").to_pylist()), (
        "column 'code': the ids lost their shape"
    )
    assert all(10**7 <= number < 10**8 for number in fake.column("number_id").to_pylist()), (
        "column 'number_id': the ids lost their length"
    )
    assert all(str(uuid.UUID(text)) == text for text in fake.column("uuid").to_pylist()), (
        "column 'uuid': the ids are no UUIDs"
    )


@lru_cache(maxsize=1)
def _table() -> pa.Table:
    rng = stream(30, "ids")
    return pa.table(
        {
            "code": [f"K-{number:07d}" for number in rng.choice(10**7, _ROWS, replace=False)],
            "number_id": rng.choice(9 * 10**7, _ROWS, replace=False) + 10**7,
            "uuid": [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(_ROWS)],
            "age": rng.integers(18, 90, _ROWS),
        }
    )


CHECKS: tuple[Check, ...] = (
    ids_are_unique,
    ids_are_never_copied,
    ids_look_like_ids,
)
