"""Small tables that come with the package, for the demo, for tests and for a first try.

`people` is generated: nobody in it exists, and it has every kind of column there is. The
others are real and public; scikit-learn ships them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import ParameterError
from understudy.rng import stream
from understudy.table.table import Table

__all__ = ["load", "names"]

_REAL = {"breast_cancer": "diagnosis", "diabetes": "progression", "wine": "cultivar"}
_PEOPLE = 2_000
_MOST_PEOPLE = 9_000_000  # each has an id of seven digits
_EDUCATION = ["primary", "secondary", "bachelor", "master", "doctorate"]
_SECTORS = ["care", "education", "farming", "industry", "office", "public service", "trade"]


def names() -> list[str]:
    """Return the names of the built-in tables.

    >>> names()
    ['breast_cancer', 'diabetes', 'people', 'wine']
    """
    return sorted([*_REAL, "people"])


def load(name: str, rows: int = _PEOPLE) -> Table:
    """Return a built-in table; `rows` is the size of the generated one.

    >>> len(load("people", rows=50))
    50
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or not 0 <= rows <= _MOST_PEOPLE:
        raise ParameterError(
            f"builtin: rows must be a whole number from 0 to {_MOST_PEOPLE:,}; got {rows!r}."
        )
    if name == "people":
        return Table(_people(rows))
    if name not in _REAL:
        raise ParameterError(f"builtin: there is no table {name!r}; choose from {', '.join(names())}.")
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns: dict[str, Any] = {
        str(label): bunch.data[:, place] for place, label in enumerate(bunch.feature_names)
    }
    target = [str(bunch.target_names[code]) for code in bunch.target] if name != "diabetes" else bunch.target
    return Table(pa.table({**columns, _REAL[name]: target}))


def _people(rows: int) -> pa.Table:
    rng = stream(20_26, "people")
    age = np.clip(rng.gamma(9, 5, rows), 18, 97).astype(int)
    schooling = np.clip(np.rint(rng.normal(1.6, 1, rows) + (age < 45) * 0.5), 0, 4).astype(int)
    sector = np.where(schooling >= 2, rng.choice([1, 4, 4, 5], rows), rng.integers(0, 7, rows))
    income = np.exp(rng.normal(9.9 + 0.22 * schooling + 0.004 * age, 0.4))
    columns: dict[str, pa.Array] = {
        "person_id": pa.array([f"P{number:07d}" for number in rng.permutation(_MOST_PEOPLE)[:rows]]),
        "age": pa.array(age),
        "sex": pa.array(np.where(rng.random(rows) < 0.51, "female", "male")),
        "education": _taken(_EDUCATION, schooling, ordered=True),
        "sector": _taken(_SECTORS, sector, ordered=False),
        "town": pa.array([f"town {int(number)}" for number in np.minimum(rng.zipf(1.5, rows), 400)]),
        "income": _holes(pa.array(np.round(income, 2)), rng.random(rows) < 0.08 + 0.1 * (age > 65)),
        "height_cm": pa.array(rng.normal(171, 9, rows)),
        "member": _holes(pa.array(rng.random(rows) < 0.3), rng.random(rows) < 0.05),
        **_times(rows, age, rng),
        "country": pa.repeat(pa.scalar("Utopia"), rows),
        "fax": pa.nulls(rows, pa.string()),
    }
    return pa.table(columns)


def _times(rows: int, age: np.ndarray, rng: np.random.Generator) -> dict[str, pa.Array]:
    """Return the columns that count time: a birthday, a zoned moment, a time of day, a length of time."""
    birthday = 20_400 - age * 365.25 - rng.integers(0, 365, rows)
    joined = 1_262_304_000 + rng.integers(0, 500_000_000, rows)
    minutes = np.clip(rng.normal(7.9 * 60, 70, rows), 0, 1439).astype(int)
    waited = _holes(pa.array(rng.integers(60, 86_400, rows)), rng.random(rows) < 0.4)
    return {
        "birthday": pa.array(birthday.astype(np.int32)).view(pa.date32()),
        "joined": pa.array(joined.astype(np.int64)).view(pa.timestamp("s", tz="UTC")),
        "starts_at": pc.multiply(pa.array(minutes.astype(np.int32)), pa.scalar(60, pa.int32())).view(
            pa.time32("s")
        ),
        "waited": waited.cast(pa.int64()).view(pa.duration("s")),
    }


def _taken(levels: list[str], codes: np.ndarray, *, ordered: bool) -> pa.Array:
    indices = pa.array(codes.astype(np.int8))
    return pa.DictionaryArray.from_arrays(indices, pa.array(levels), ordered=ordered)


def _holes(cells: pa.Array, where: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(~where), cells, pa.scalar(None, cells.type))
