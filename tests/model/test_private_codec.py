"""A codec from noisy margins: values come back, and no row is refused."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import ndtri

from model.test_noisy_margins import bought
from understudy.codec import Codec
from understudy.engines.margin import LevelMargin, QuantityMargin
from understudy.missing import MISSING_STEP, is_missing
from understudy.model.binned import Binned
from understudy.model.private_codec import codec_of, rule_of, shares_of
from understudy.table.columns import to_columns
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.table import Table
from understudy.testing.tables import half_missing, hostile_tables, people


def of_table(arrow):
    schema = Schema.infer(Table(arrow)).declare()
    columns = to_columns(arrow, schema)
    binned = bought(columns, schema)
    return columns, binned, codec_of(binned, schema)


def steps(rate=0.0):
    return Column(
        name="n",
        kind="numerical",
        type="int64",
        resolution=1.0,
        bounds=Bounds(low=0, high=99),
        missing=Missing(rate=rate),
    )


def words(rate=0.0):
    return Column(
        name="w",
        kind="categorical",
        type="string",
        levels=Levels(values=("a", "b")),
        missing=Missing(rate=rate),
    )


def margin(values, lower, upper, missing=0.0):
    return QuantityMargin(np.array(values), np.array(lower, float), np.array(upper, float), missing)


def alone(margin, column):
    binned = Binned({column.name: margin}, {}, {}, 100.0)
    return codec_of(binned, Schema(columns=(column,))), binned


TABLES = {"people": people(2_000), "half_missing": half_missing()} | {
    name: hostile_tables()[name]
    for name in ("one_row", "one_column", "no_numbers", "no_levels", "one_level", "huge_and_tiny_numbers")
}


@pytest.mark.parametrize("name", list(TABLES))
def test_knots_grow_and_rows_come_back_about_as_they_were(name):
    columns, binned, codec = of_table(TABLES[name])
    matrix = rule_of(codec, binned)(columns)
    assert np.isfinite(matrix).all() and len(matrix) == len(next(iter(columns.values())))
    back = codec.decode(matrix, np.random.default_rng(0))
    for slot in codec.slots:
        real, found = columns[slot.name], back[slot.name]
        assert found.dtype == real.dtype
        assert np.array_equal(is_missing(found), is_missing(real))
        if real.dtype == np.int32:
            assert np.array_equal(found, real)
            continue
        knots = slot.encoder
        assert (knots.values[1:] > knots.values[:-1]).all()
        assert (knots.lower <= knots.upper).all() and (knots.lower[1:] >= knots.upper[:-1]).all()
        assert knots.lower[0] == 0 and knots.upper[-1] == 1
        there = ~is_missing(real)
        assert ((found >= knots.values[0]) & (found <= knots.values[-1]))[there].all()


def test_values_inside_of_bins_with_mass_come_back():
    codec, _ = alone(margin([0, 9, 10, 99], [0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1]), steps())
    values = np.arange(100)
    back = codec.decode(codec.encode({"n": values}), np.random.default_rng(0))["n"]
    assert np.array_equal(back, values)


def test_steps_of_one_bin_are_drawn_equally_often():
    codec, _ = alone(margin([0, 2, 3, 99], [0, 0.6, 0.6, 1], [0, 0.6, 0.6, 1]), steps())
    ranks = (np.arange(9_000) + 0.5) / 9_000
    found = codec.decode(ndtri(ranks)[:, None], np.random.default_rng(0))["n"]
    counts = np.bincount(found, minlength=100) / 9_000
    assert counts[:3] == pytest.approx([0.2] * 3, abs=1e-3)
    assert counts[3:] == pytest.approx([0.4 / 97] * 97, abs=3e-4)


def test_drawn_numbers_have_the_distribution_of_the_margin():
    codec, _ = alone(margin([0, 5, 99], [0, 0.2, 1], [0, 0.7, 1]), steps())
    normal = np.random.default_rng(0).normal(size=(20_000, 1)).astype(np.float32)
    found = codec.decode(normal, np.random.default_rng(0))["n"]
    assert (found == 5).mean() == pytest.approx(0.5, abs=0.05)
    assert (found > 5).mean() == pytest.approx(0.3, abs=0.02)


def test_one_value_alone_comes_back():
    codec, _ = alone(margin([7], [0], [1]), steps())
    matrix = codec.encode({"n": np.array([7, 7])})
    assert matrix.tolist() == [[0.0], [0.0]]
    assert codec.decode(np.array([[-9.0], [9.0]]), np.random.default_rng(0))["n"].tolist() == [7, 7]


@pytest.mark.parametrize("ends", [[3], [0, 99]])
def test_a_quantity_that_is_always_missing_is_spread_over_its_bounds(ends):
    zeros = np.zeros(len(ends))
    codec, _ = alone(margin(ends, zeros, zeros, missing=1.0), steps(1.0))
    back = codec.decode(np.array([[-9.0, 0], [0.0, 0], [9.0, 0], [0.0, 1]]), np.random.default_rng(0))["n"]
    assert back[0] == ends[0] and back[2] == ends[-1] and back[3] == MISSING_STEP


def test_missing_cells_have_a_flag_or_a_code_where_they_were_bought():
    binned = Binned(
        {
            "n": margin([0, 99], [0, 1], [0, 1], 0.5),
            "w": LevelMargin(np.array([0, 1, -1], dtype=np.int32), np.array([0.2, 0.5, 1.0])),
        },
        {},
        {},
        10.0,
    )
    codec = codec_of(binned, Schema(columns=(steps(0.5), words(0.5))))
    matrix = rule_of(codec, binned)({"n": np.array([MISSING_STEP]), "w": np.array([-1], dtype=np.int32)})
    assert matrix.tolist() == [[0.0, 1.0, 2.0]]


def test_missing_cells_of_columns_bought_as_never_missing_are_moved_not_refused():
    binned = Binned(
        {
            "n": margin([0, 10, 99], [0, 0.2, 1], [0, 0.8, 1]),
            "w": LevelMargin(np.array([1, 0, -1], dtype=np.int32), np.array([0.7, 1.0, 1.0])),
        },
        {},
        {},
        10.0,
    )
    codec = codec_of(binned, Schema(columns=(steps(), words())))
    columns = {"n": np.array([MISSING_STEP, 50]), "w": np.array([-1, 0], dtype=np.int32)}
    back = codec.decode(rule_of(codec, binned)(columns), np.random.default_rng(0))
    assert back["n"].tolist() == [10, 50] and back["w"].tolist() == [1, 0]


def test_shares_of_codes_and_flags_are_those_of_the_margins_and_never_nought():
    margins = {
        "n": margin([0, 99], [0, 1], [0, 1], 0.25),
        "w": LevelMargin(np.array([1, 0, -1], dtype=np.int32), np.array([0.7, 1.0, 1.0])),
    }
    binned = Binned(margins, {}, {}, 1e6)
    codec = codec_of(binned, Schema(columns=(steps(0.25), words(0.1))))
    levels, flag = shares_of(codec, binned)
    assert levels == pytest.approx([0.3, 0.7, 0.0], abs=1e-5) and levels[2] > 0
    assert flag == pytest.approx([0.75, 0.25], abs=1e-5)
    never = codec_of(binned, Schema(columns=(steps(), words())))
    assert [len(each) for each in shares_of(never, binned)] == [2]


def test_each_row_is_encoded_by_itself():
    columns, binned, codec = of_table(people(300))
    rule = rule_of(codec, binned)
    whole, part = rule(columns), rule({name: values[40:60] for name, values in columns.items()})
    assert np.array_equal(whole[40:60], part)


def test_it_is_saved_like_any_other_codec():
    columns, _, codec = of_table(pa.table({"x": np.arange(200) / 7, "w": ["a", "b"] * 100}))
    again = Codec.restore(*codec.state())
    assert np.array_equal(codec.encode(columns), again.encode(columns))


def test_no_columns_make_an_empty_codec():
    schema = Schema(columns=(Column(name="k", kind="id", type="string"),))
    assert codec_of(Binned({}, {}, {}, 0.0), schema).slots == ()
