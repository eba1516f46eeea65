from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.coding import FARTHEST, Coding, cut_short
from understudy.table.schema import Column, Levels, Schema
from understudy.table.table import Table

WORDS = pa.array(["a", "b", None, "a"])


def code(column, real, synthetic):
    """The codes of the real and of the synthetic cells, and what they mean."""
    tables = [pa.table({"x": cells}) for cells in (real, synthetic)]
    if isinstance(column, str):
        kind = str(tables[0].column("x").type)
        column = Column(name="x", kind=column, type=kind)
    coding = Coding.of(Schema(columns=(column,)), tables[:1], tables[1])
    first, second = (coding.apply(table)["x"].tolist() for table in tables)
    return first, second, coding.domain[0]


def test_levels_that_only_the_synthetic_table_has_come_last():
    real, synthetic, meaning = code("categorical", WORDS, pa.array(["A", "b", "c"]))
    assert real == [0, 1, -1, 0] and synthetic == [2, 1, 3]
    assert (meaning.known, meaning.levels, meaning.has_missing) == (2, 4, True)


def test_stated_levels_come_first_in_their_order_and_count_as_known():
    column = Column(name="x", kind="ordinal", type="string", levels=Levels(values=("z", "b", "a")))
    real, synthetic, meaning = code(column, pa.array(["a", "new"]), pa.array(["z"]))
    assert real == [2, 3] and synthetic == [0]
    assert meaning.known == 4 and meaning.ordered


@pytest.mark.parametrize(
    ("real", "synthetic", "codes"),
    [
        (pa.array([1, 2]), pa.array([2.0, 1.0]), [1, 0]),
        (pa.array([1, 2]), pa.array([2.0, 1.5]), [1, 2]),
        (pa.array([1, 2]), pa.array(["2", "1"]), [1, 0]),
        (pa.array([1, 2]), pa.array(["2", "many"]), [1, 2]),
        (pa.array(["1", "2"]), pa.array([2, 3]), [1, 2]),
        (pa.array(["1", "2"]), pa.array([2.0, 1.0]), [1, 0]),
        (pa.array([False, True]), pa.array([1, 0]), [1, 0]),
        (pa.array([False, True]), pa.array([1, 2]), [1, 2]),
        (pa.array([False, True]), pa.array(["True", "False"]), [1, 0]),
        (pa.array([False, True]), pa.array(["True", "maybe"]), [1, 2]),
        (pa.array(["false", "true"]), pa.array([True, False]), [1, 0]),
        (pa.array(["a", "b"]), pa.array(["b", "a"]).dictionary_encode(), [1, 0]),
        (pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]), [1, 2]),
        (pa.array([0.0, 1.0]), pa.array([-0.0, float("nan")]), [0, -1]),
        (pa.array([Decimal("1.5"), Decimal("2.5")]), pa.array([2.5, 1.5]), [1, 0]),
        (pa.array(["a", "b"]), pa.array([None, None], pa.float64()), [-1, -1]),
        (pa.array([0.1, 0.2], pa.float32()), pa.array([0.2, 0.1]), [1, 0]),
    ],
    ids=str,
)
def test_a_level_is_the_same_level_in_any_type(real, synthetic, codes):
    assert code("categorical", real, synthetic)[:2] == ([0, 1], codes)


def test_a_constant_column_has_one_known_level():
    real, synthetic, meaning = code("constant", pa.array([7, 7]), pa.array([7.0, 7.5]))
    assert real == [0, 0] and synthetic == [0, 1] and meaning.known == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (pa.duration("s"), "90 s"),
        (pa.date32(), "1970-04-01"),
        (pa.timestamp("s", "UTC"), "1970-01-01 00:01:30Z"),
    ],
    ids=str,
)
def test_a_constant_time_is_a_level_that_the_schema_writes_as_text(kind, text):
    cells = pa.array([90, 90], pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    column = Column(name="x", kind="constant", type=str(kind), levels=Levels(values=(text,)))
    real, synthetic, meaning = code(column, cells, cells)
    assert real == synthetic == [0, 0] and meaning.levels == 1


def test_a_column_without_any_real_value_has_no_known_level():
    real, synthetic, meaning = code("all_missing", pa.nulls(2, pa.string()), pa.array([1.5, None]))
    assert real == [-1, -1] and synthetic == [0, -1]
    assert (meaning.known, meaning.levels) == (0, 1)


def test_a_column_without_any_value_at_all_is_missing_everywhere():
    assert code("all_missing", pa.nulls(2, pa.string()), pa.nulls(1))[:2] == ([-1, -1], [-1])


def test_a_quantity_has_the_training_range():
    real, synthetic, meaning = code("numerical", pa.array([2, 5, None]), pa.array([9.5]))
    assert real[:2] == [2.0, 5.0] and np.isnan(real[2]) and synthetic == [9.5]
    assert (meaning.low, meaning.high, meaning.quantity, meaning.has_missing) == (2.0, 5.0, True, True)


def test_infinity_and_far_off_numbers_lie_a_billion_ranges_away():
    _, synthetic, _ = code("numerical", pa.array([0.0, 2.0]), pa.array([np.inf, -np.inf, 1e300, 1e9]))
    assert synthetic == [2 + 2 * FARTHEST, -2 * FARTHEST, 2 + 2 * FARTHEST, 1e9]


def test_infinity_among_real_rows_does_not_widen_their_range():
    real, _, meaning = code("numerical", pa.array([0.0, np.inf, 2.0]), pa.array([1.0]))
    assert (meaning.low, meaning.high) == (0.0, 2.0) and real[1] == 2 + 2 * FARTHEST


def test_huge_numbers_are_told_in_a_unit_whose_squares_are_numbers():
    real, synthetic, meaning = code("numerical", pa.array([-1e308, 1e308]), pa.array([5e307]))
    assert np.isfinite(meaning.span) and meaning.span > 0
    assert np.isfinite(np.square([*real, *synthetic])).all()
    assert (synthetic[0] - meaning.low) / meaning.span == pytest.approx(0.75)


def test_whole_numbers_of_64_bits_are_read():
    real, _, _ = code("numerical", pa.array([2**64 - 1, 0], pa.uint64()), pa.array([2**63], pa.uint64()))
    assert real == [2.0**64, 0.0]


def test_times_count_in_ticks_of_the_schema():
    seconds = pa.array([60, 120], pa.int64()).view(pa.timestamp("s"))
    fine = pa.array([60_000, 120_000], pa.int64()).view(pa.timestamp("ms", "UTC"))
    assert code("datetime", seconds, fine)[:2] == ([60.0, 120.0], [60.0, 120.0])


def test_a_schema_without_a_type_takes_that_of_the_training_rows():
    days = pa.array([1, 2], pa.int32()).view(pa.date32())
    column = Column(name="x", kind="date")
    assert code(column, days, pa.array(["1970-01-04"]))[:2] == ([1.0, 2.0], [3.0])


def test_words_where_numbers_are_needed_are_refused():
    with pytest.raises(SchemaError, match="column 'x' holds numbers; got cells of type string"):
        code("numerical", pa.array([1.5, 2.5]), pa.array(["1.5", "n/a"]))


def test_a_table_of_cells_that_were_not_there_when_the_code_was_made_is_refused():
    table = pa.table({"x": [1, 2]})
    schema = Schema(columns=(Column(name="x", kind="ordinal", type="int64"),))
    coding = Coding.of(schema, [table], table)
    with pytest.raises(SchemaError, match="levels of type int64; got a table with cells of type string"):
        coding.apply(pa.table({"x": ["one"]}))


def test_ids_and_free_text_are_left_out_and_named():
    table = pa.table({"x": [1, 2], "key": ["p", "q"]})
    schema = Schema(columns=(Column(name="key", kind="id"), Column(name="x", kind="numerical")))
    coding = Coding.of(schema, [table], table)
    assert coding.names == ("x",) and coding.left_out == ("key",)


def test_a_table_of_ids_alone_cannot_be_judged():
    schema = Schema(columns=(Column(name="key", kind="id"),))
    with pytest.raises(SchemaError, match="no column can be judged"):
        Coding.of(schema, [pa.table({"key": [1]})], pa.table({"key": [1]}))


def test_every_kind_of_column_survives_the_round_of_all_built_in_types():
    from understudy.table.builtin import load

    table = load("people", rows=200)
    schema = Schema.infer(Table(table.to_arrow()))
    coded = Coding.of(schema, [table.to_arrow()], table.to_arrow()).apply(table.to_arrow())
    for column in coded.domain:
        assert coded[column.name].dtype == (np.float64 if column.quantity else np.int32)
        assert column.quantity or coded[column.name].max() < column.known


def test_only_cells_that_were_moved_nearer_are_cut_short():
    real, fake = (pa.table({"x": values, "y": [1.0, 2.0]}) for values in ([0.0, 1.0], [5.0, 1e300]))
    coding = Coding.of(Schema.infer(Table(real)), [real], fake)
    assert (cut_short(coding.apply(real)), cut_short(coding.apply(fake))) == ([], ["x"])
