"""Every style of the codec on a table with every kind of column."""

import datetime as dt
import itertools
import json
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load, save

from understudy.codec import Codec, Style, plan
from understudy.missing import is_missing
from understudy.privacy import Ledger, Vault
from understudy.table.columns import from_columns, modelled, to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

ROWS = 240
NUMBERS = ["quantile_normal", "quantile_uniform", "standard", "minmax", "modes", "bins"]
STYLES = [
    Style(numbers=numbers, levels=levels, missing=missing, edges=edges, rare=rare, bins=12, knots=64, modes=4)
    for numbers, levels, missing, edges, rare in itertools.product(
        NUMBERS, ["onehot", "codes"], ["indicator", "at_random"], ["width", "quantile"], [0, 20]
    )
    if numbers == "bins" or edges == "width"
] + [Style(levels=levels, few=200, shared=2, knots=64) for levels in ("onehot", "codes")]


def name_of(style):
    return f"{style.numbers}-{style.levels}-{style.missing}-{style.edges}-{style.rare}-{style.few}"


def gappy(values, rng):
    """Return the values with every eighth missing or so."""
    return [None if rng.random() < 0.125 else value for value in values]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    day, noon = dt.date(2020, 2, 29), dt.datetime(2020, 2, 29, 12)
    whole = rng.integers(0, 4_000, ROWS).tolist()
    words = rng.choice(["a", "b", "c", "d", "e", "f"], ROWS, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02]).tolist()
    quantities = {
        "integer": pa.array(whole),
        "huge": pa.array([2**61 + 7 * value for value in whole], pa.int64()),
        "decimal": pa.array([Decimal(value) / 100 for value in whole], pa.decimal128(12, 2)),
        "cents": pa.array([value / 100 for value in whole]),
        "float": pa.array(rng.lognormal(2, 1, ROWS)),
        "single": pa.array(rng.normal(size=ROWS), pa.float32()),
        "zeros": pa.array(np.where(rng.random(ROWS) < 0.5, 0.0, rng.gamma(2, 3, ROWS))),
        "datetime": pa.array(
            [noon + dt.timedelta(seconds=value) for value in whole], pa.timestamp("us", "UTC")
        ),
        "date": pa.array([day + dt.timedelta(days=value) for value in whole]),
        "duration": pa.array([dt.timedelta(minutes=value) for value in whole]),
        "boolean": pa.array(rng.random(ROWS) < 0.3),
        "categorical": pa.array(words),
        "ordinal": pa.array(rng.integers(1, 5, ROWS)),
        "dictionary": pa.array(words).dictionary_encode(),
    }
    missing = {f"{name}?": pa.array(gappy(q.to_pylist(), rng), q.type) for name, q in quantities.items()}
    others = {
        "id": pa.array([f"P{i:04}" for i in range(ROWS)]),
        "constant": pa.array(["same"] * ROWS),
        "nothing": pa.nulls(ROWS, pa.float64()),
    }
    return pa.table({**quantities, **missing, **others})


@pytest.fixture(scope="module")
def schema(table):
    return Schema.infer(Table(table))


@pytest.fixture(scope="module")
def columns(table, schema):
    return to_columns(table, schema)


@pytest.fixture(scope="module", params=STYLES, ids=name_of)
def style(request):
    return request.param


@pytest.fixture(scope="module")
def fitted(style, schema, columns):
    ledger = Ledger()
    return plan(schema, style).fit(Vault(columns, ledger), np.random.default_rng(0)), ledger


@pytest.fixture(scope="module")
def codec(fitted):
    return fitted[0]


def test_the_table_has_every_kind(schema):
    kinds = {column.kind for column in schema.columns}
    assert kinds >= {"numerical", "boolean", "categorical", "ordinal", "datetime", "date", "duration"}
    assert kinds >= {"id", "constant", "all_missing"}


def test_the_matrix_is_finite_and_the_layout_tiles_it(codec, columns, schema, style):
    matrix = codec.encode(columns)
    assert matrix.dtype == np.float32
    assert matrix.shape == (ROWS, codec.layout.width)
    assert np.isfinite(matrix).all()
    assert plan(schema, style).layout in {None, codec.layout}
    assert {span.name for span in codec.layout.spans} == set(columns)


def test_one_hots_are_one_hot_and_flags_are_flags(codec, columns):
    matrix = codec.encode(columns)
    for start, size in zip(codec.layout.starts, codec.layout.sizes, strict=True):
        block = matrix[:, start : start + size]
        assert ((block == 0) | (block == 1)).all()
        assert (block.sum(axis=1) == 1).all()
    assert np.isin(matrix[:, codec.layout.flags], [0, 1]).all()
    for span in codec.layout.spans:
        if span.role == "code":
            assert ((matrix[:, span.start] >= 0) & (matrix[:, span.start] < span.levels)).all()


def test_the_ledger_has_one_entry_if_anything_is_learned_and_none_otherwise(fitted, schema, style):
    ledger = fitted[1]
    assert len(ledger.entries) == (1 if plan(schema, style).reads else 0)
    learns = style.numbers not in {"minmax", "bins"} or style.edges == "quantile" or style.rare > 0
    assert bool(ledger.entries) == learns


@pytest.mark.parametrize("drawn", [False, True])
def test_decoding_gives_the_columns_back(codec, columns, schema, style, drawn):
    matrix = codec.encode(columns, np.random.default_rng(1) if drawn else None)
    back = codec.decode(matrix, np.random.default_rng(2))
    for column in modelled(schema):
        values, found = columns[column.name], back[column.name]
        assert found.dtype == values.dtype
        if style.missing == "indicator" or values.dtype == np.int32 or style.numbers == "bins":
            assert np.array_equal(is_missing(found), is_missing(values)), column.name
        both = ~is_missing(found) & ~is_missing(values)
        assert_close(values[both], found[both], column.name, style)


def assert_close(values, found, name, style):
    lossy = style.rare > 0 if values.dtype == np.int32 else style.numbers == "bins"
    if lossy:
        return
    if values.dtype == np.float64:
        assert np.allclose(values, found, rtol=0, atol=np.ptp(values) * 1e-5), name
    else:
        assert np.array_equal(values, found), name


def test_what_is_lost_is_lost_once(codec, columns, style):
    """Bins and groups lose the value, never the bin: a second round trip changes no code."""
    matrix = codec.encode(columns)
    again = codec.encode(codec.decode(matrix, np.random.default_rng(3)))
    coded = np.concatenate(
        [np.flatnonzero(codec.layout.segment >= 0), codec.layout.codes, codec.layout.flags]
    )
    if style.numbers != "modes":  # a value between two modes may turn to the other
        assert np.array_equal(matrix[:, coded], again[:, coded])


def test_decoded_columns_make_a_table_of_the_same_types(codec, table, schema):
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(100, codec.layout.width))
    made = from_columns(codec.decode(noise, rng), schema, 100, rng)
    assert made.schema.equals(table.schema)
    assert made.num_rows == 100


def test_whatever_is_decoded_fits_the_schema(codec, schema):
    """Any matrix at all decodes to entries within levels and bounds, missing only where that can be."""
    declared = schema.declare()
    rng = np.random.default_rng(5)
    wild = rng.normal(size=(200, codec.layout.width)) * 10.0 ** rng.integers(-3, 9, 200)[:, None]
    made = from_columns(codec.decode(wild, rng), declared, 200, rng)
    again = to_columns(made, declared)
    for column in modelled(declared):
        if column.missing.rate == 0:
            assert not is_missing(again[column.name]).any()


def test_a_codec_comes_back_from_safetensors_and_json(codec, columns):
    tensors, facts = codec.state()
    contiguous = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    again = Codec.restore(load(save(contiguous)), json.loads(json.dumps(facts)))
    assert again.layout == codec.layout
    for rng in (None, 6):
        one, other = (c.encode(columns, rng and np.random.default_rng(rng)) for c in (codec, again))
        assert np.array_equal(one, other)
    one, other = (c.decode(codec.encode(columns), np.random.default_rng(7)) for c in (codec, again))
    assert all(np.array_equal(one[n], other[n], equal_nan=one[n].dtype.kind == "f") for n in columns)


def test_each_row_is_encoded_by_itself(codec, columns):
    some = slice(3, 90, 7)
    part = codec.encode({name: values[some] for name, values in columns.items()})
    assert np.array_equal(part, codec.encode(columns)[some])


def test_arguments_are_left_as_they_were(codec, columns):
    before = {name: values.copy() for name, values in columns.items()}
    matrix = codec.encode(columns)
    kept = matrix.copy()
    codec.decode(matrix, np.random.default_rng(8))
    assert np.array_equal(matrix, kept)
    assert all(np.array_equal(before[n], columns[n], equal_nan=before[n].dtype.kind == "f") for n in columns)


def test_times_of_day_with_open_bounds_go_through_every_style(style):
    noon = dt.datetime(2020, 2, 29, 12)
    seconds = np.random.default_rng(9).integers(0, 4_000, ROWS).tolist()
    cells = [None if i % 8 == 0 else (noon + dt.timedelta(seconds=s)).time() for i, s in enumerate(seconds)]
    table = pa.table({"time": pa.array(cells, pa.time64("us"))})
    found = Schema.infer(Table(table))
    schema = found.model_copy(update={"columns": (found.columns[0].model_copy(update={"bounds": None}),)})
    columns, ledger = to_columns(table, schema), Ledger()
    codec = plan(schema, style).fit(Vault(columns, ledger), np.random.default_rng(0))
    back = codec.decode(codec.encode(columns), np.random.default_rng(1))
    assert len(ledger.entries) == 1
    both = ~is_missing(columns["time"]) & ~is_missing(back["time"])
    assert_close(columns["time"][both], back["time"][both], "time", style)
    assert from_columns(back, schema, ROWS, np.random.default_rng(2)).schema.equals(table.schema)
