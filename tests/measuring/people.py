"""Tables of one law to learn from, their spoilt twins, and tables that are hard for any measure."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.table.evidence import Evidence

JOBS = ["clerk", "farmer", "nurse"]


def people(rows=400, seed=0):
    """Return rows in which everything can be guessed from the rest to some degree; `rich` is the target."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20.0, 70.0, rows)
    job = np.where(age + rng.normal(0, 8, rows) < 38, 0, rng.choice([1, 2], rows, p=[0.6, 0.4]))
    pay = 20 + 0.5 * age + 10 * job + rng.normal(0, 4, rows)
    sex = rng.random(rows) < 0.35
    rich = pay + rng.normal(0, 4, rows) > 52
    return pa.table(
        {
            "age": age,
            "job": np.array(JOBS)[job],
            "pay": np.where(rng.random(rows) < 0.03, np.nan, pay),
            "sex": np.where(sex, "F", "M"),
            "rich": np.where(rich, "yes", "no"),
        }
    )


def independent(table, seed=0):
    """Return the same columns with nothing left between them."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {name: table.column(name).take(rng.permutation(len(table))) for name in table.column_names}
    )


def shifted(table):
    """Return rows in which the answer is turned round."""
    turned = ["no" if cell == "yes" else "yes" for cell in table.column("rich").to_pylist()]
    return table.set_column(table.column_names.index("rich"), "rich", pa.array(turned))


def constant(table):
    """Return the first row, again and again."""
    return table.take(np.zeros(len(table), dtype=np.int64))


def judge(measure, synthetic, *, train=None, holdout=None, seed=0, target="rich", **more):
    """Judge a table beside two real ones of the law."""
    train = people(400, 1) if train is None else train
    holdout = people(300, 2) if holdout is None else holdout
    evidence = Evidence(train=train, synthetic=synthetic, holdout=holdout, target=target, **more)
    return measure(evidence, seed=seed)


def shuffled(table):
    """Return the rows in another order."""
    return table.take(np.random.default_rng(5).permutation(len(table)))


def in_other_units(table):
    """Return quantities as a x + b."""
    for name, scale, shift in (("age", 12.0, -7.0), ("pay", 1_000.0, 500.0)):
        values = np.asarray(table.column(name)) * scale + shift
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


def with_other_names(table):
    """Return levels called otherwise, so that their order is another one."""
    names = {"clerk": "z", "farmer": "b", "nurse": "a", "F": "w", "M": "f", "yes": "0", "no": "1"}
    for name in ("job", "sex", "rich"):
        cells = [names[cell] for cell in table.column(name).to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(cells))
    return table


def in_other_columns(table):
    """Return the columns in another order."""
    return table.select(["rich", "pay", "age", "sex", "job"])


SAME = {
    "rows": shuffled,
    "units": in_other_units,
    "names": with_other_names,
    "columns": in_other_columns,
}


def _pair(real, synthetic, **more):
    return lambda: Evidence(train=pa.table(real), synthetic=pa.table(synthetic), **more)


_N = 40
_X = np.linspace(0.0, 1.0, _N)
_AB = ["a", "b"] * (_N // 2)
HARD = {
    "one column of levels": _pair({"a": _AB}, {"a": _AB[::-1]}),
    "one column of numbers": _pair({"a": _X}, {"a": _X[::-1]}),
    "two rows": _pair({"x": [1.5, 2.5], "a": ["a", "b"]}, {"x": [1.0, 2.0], "a": ["b", "b"]}),
    "one synthetic row": _pair({"x": _X, "a": _AB}, {"x": [1.0], "a": ["b"]}),
    "numbers alone": _pair({"x": _X, "y": _X**2}, {"x": _X, "y": _X}),
    "levels alone": _pair({"a": _AB, "b": ["c", "d", "d", "e"] * 10}, {"a": _AB, "b": ["c", "d"] * 20}),
    "everything constant": _pair({"x": [1.5] * _N, "a": ["a"] * _N}, {"x": [1.5] * _N, "a": ["a"] * _N}),
    "a column that is never there": _pair(
        {"x": _X, "y": pa.nulls(_N, pa.float64()), "a": _AB},
        {"x": _X, "y": pa.nulls(_N, pa.float64()), "a": _AB},
    ),
    "a target that is never there": _pair(
        {"x": _X, "a": _AB}, {"x": _X, "a": pa.nulls(_N, pa.string())}
    ),
    "levels that no real row has": _pair({"x": _X, "a": _AB}, {"x": _X, "a": ["c", "d"] * 20}),
    "half of the cells missing": _pair(
        {"x": [None, 1.0, 2.5, None] * 10, "b": _X, "a": ["a", None, "b", "a"] * 10},
        {"x": [1.0, None, None, 3.5] * 10, "b": _X, "a": [None, "b", "b", "a"] * 10},
    ),
    "numbers as large as floats": _pair(
        {"x": np.where(_X > 0.5, 1e308, -1e308), "a": _AB}, {"x": _X * 1e300, "a": _AB}
    ),
    "more synthetic rows than real": _pair({"x": _X, "a": _AB}, {"x": np.tile(_X, 5), "a": _AB * 5}),
}  # fmt: skip


def answer(measure, name):
    """Return what a measure says of a hard table, having checked it: a typed refusal, or a sound result."""
    try:
        result = measure(HARD[name]())
    except UnderstudyError:
        return None
    assert result.low <= result.value <= result.high or math.isnan(result.value)
    if math.isnan(result.value):
        assert any("undefined" in note for note in result.notes)
    assert 0 <= result.parts.get("coverage", 1.0) <= 1
    return result
