"""A schema with every kind of column that a rule can speak of, columns drawn for it, and rules at random."""

import numpy as np
from hypothesis import strategies as st

from understudy.missing import missing_like
from understudy.table.columns import modelled
from understudy.table.schema import LEVEL_KINDS, Schema

COLUMNS = (
    {"name": "i", "kind": "numerical", "type": "int64", "resolution": 1, "bounds": {"low": 0, "high": 9}},
    {"name": "j", "kind": "numerical", "type": "int16", "resolution": 1, "bounds": {"low": -5, "high": 20}},
    {"name": "x", "kind": "numerical", "type": "double", "bounds": {"low": -4.0, "high": 12.0}},
    {"name": "z", "kind": "numerical", "type": "float", "bounds": {"low": 0.0, "high": 10.0}},
    {
        "name": "y",
        "kind": "numerical",
        "type": "double",
        "resolution": 0.01,
        "bounds": {"low": 0, "high": 15},
    },
    {"name": "d", "kind": "numerical", "type": "decimal128(9, 3)", "bounds": {"low": -2, "high": 14}},
    {"name": "k", "kind": "categorical", "type": "int8", "levels": {"values": [7, 1, 4]}},
    {
        "name": "on",
        "kind": "datetime",
        "type": "timestamp[ns]",
        "bounds": {"low": "2020-01-01", "high": "2020-06-01"},
    },
    {
        "name": "off",
        "kind": "date",
        "type": "date32[day]",
        "bounds": {"low": "2020-01-01", "high": "2020-06-01"},
    },
    {
        "name": "took",
        "kind": "duration",
        "type": "duration[s]",
        "resolution": "minute",
        "bounds": {"low": "0 s", "high": "9000000 s"},
    },
    {"name": "c", "kind": "categorical", "type": "string", "levels": {"values": ["red", "blue", "green"]}},
    {
        "name": "o",
        "kind": "ordinal",
        "type": "string",
        "levels": {"values": ["low", "mid", "high"]},
        "nullable": False,
    },
    {"name": "b", "kind": "boolean", "type": "bool", "levels": {"values": [False, True]}},
    {
        "name": "land",
        "kind": "constant",
        "type": "int32",
        "levels": {"values": [6]},
        "missing": {"rate": 0.3},
    },
    {"name": "key", "kind": "id", "type": "string", "template": "K9999", "missing": {"rate": 0.2}},
    {"name": "none", "kind": "all_missing", "type": "string"},
)
NUMBERS, TIMES = ("i", "j", "x", "y", "z", "d", "k", "land"), ("on", "off")
SMALL = {"i": (0, 9), "j": (-5, 20), "y": (0, 1_500), "d": (-2_000, 14_000)}
LONG = {"on": (1_577_836_800 * 10**9, 1_590_969_600 * 10**9), "off": (18_262, 18_414), "took": (0, 150_000)}
REAL = {"x": (-4.0, 12.0), "z": (0.0, 10.0)}


def schema(*rules):
    return Schema.model_validate({"columns": COLUMNS, "rules": rules})


def drawn(rows, rng, conditions=None):
    """Return legal cells, one in eight missing; conditions are met by columns of which they ask a range."""
    columns = {}
    for column in modelled(schema()):
        name = column.name
        if column.kind in LEVEL_KINDS:
            values = rng.integers(0, len(column.levels.values), rows).astype(np.int32)
        elif name in REAL:
            low, high = REAL[name]
            values = rng.uniform(low, high, rows)
        else:
            low, high = {**SMALL, **LONG}[name]
            values = rng.integers(low, high, rows, endpoint=True)
        if column.nullable:
            values[rng.random(rows) < 0.125] = missing_like(values)
        columns[name] = values
    for name, condition in (conditions or {}).items():
        good = columns[name][condition.accepts(columns[name])]
        columns[name] = rng.choice(good, rows) if len(good) else columns[name]
    return columns


def _sum(names):
    factor = st.sampled_from(["", "", "", "2 * ", "0.5 * "])
    term = st.tuples(factor, st.sampled_from(names)).map("".join)
    return st.lists(term, min_size=1, max_size=2).map(" + ".join)


def _number():
    return st.one_of(st.integers(-3, 12), st.sampled_from([0.25, 7.5, 3.14])).map(str)


OPERATORS = st.sampled_from(["<=", "<", "==", "!=", ">=", ">"])


def conditions():
    """Return texts of conditions of every form."""
    numbers = st.tuples(_sum(NUMBERS), OPERATORS, st.one_of(_sum(NUMBERS), _number())).map(" ".join)
    times = st.tuples(st.sampled_from(TIMES), OPERATORS, st.sampled_from(TIMES)).map(" ".join)
    stays = st.tuples(OPERATORS, st.just("on + took"), st.just("off")).map(lambda t: f"{t[1]} {t[0]} {t[2]}")
    words = st.sampled_from(
        ["c == 'red'", "c != 'blue'", "o <= 'mid'", "o > 'low'", "b == true", "b != false", "k == '4'",
         "on >= '2020-03-01'", "off < '2020-02-01'", "took > '3600 s'", "off != '2020-02-02'"]
    )  # fmt: skip
    holes = st.sampled_from(["i", "x", "c", "on", "land", "key", "took", "b"]).flatmap(
        lambda name: st.sampled_from([f"{name} is missing", f"{name} is not missing"])
    )
    return st.one_of(numbers, times, stays, words, holes)


def rules():
    """Return texts of rules."""
    return st.one_of(conditions(), st.tuples(conditions(), conditions()).map(" implies ".join))
