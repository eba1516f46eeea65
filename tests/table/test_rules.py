import datetime as dt
import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.errors import SchemaError
from understudy.table.rule import Comparison, Implies, IsMissing, Linear, Match, Term
from understudy.table.rules import broken_rows, rules_of
from understudy.table.rules_text import parse_rule
from understudy.table.schema import Schema

DAY = dt.datetime(2020, 1, 1)


def schema(*rules, **kinds):
    columns = [
        {"name": name, **({"kind": part} if isinstance(part, str) else part)} for name, part in kinds.items()
    ]
    return Schema.model_validate({"columns": columns, "rules": rules})


def broken(rule, kinds, **columns):
    given_schema = schema(rule, **kinds)
    (parsed,) = rules_of(given_schema)
    return broken_rows(parsed, pa.table(columns), given_schema).tolist()


NUMBERS = {"a": "numerical", "b": "numerical", "c": "numerical"}


def test_a_missing_cell_breaks_no_comparison():
    assert broken("a <= b", NUMBERS, a=[1, 3, None, 3], b=[2, 2, 2, None], c=[0] * 4) == [
        False,
        True,
        False,
        False,
    ]


def test_sums_of_floats_are_equal_up_to_their_rounding():
    assert broken("a + b == c", NUMBERS, a=[0.1, 0.1], b=[0.2, 0.2], c=[0.3, 0.301]) == [False, True]
    assert broken("a + b <= c", NUMBERS, a=[0.1], b=[0.2], c=[0.3]) == [False]
    assert broken("a + b < c", NUMBERS, a=[0.1], b=[0.2], c=[0.3]) == [True]


def test_bare_comparisons_are_exact():
    above = np.nextafter(1.0, 2.0)
    assert broken("a <= b", NUMBERS, a=[above], b=[1.0], c=[0.0]) == [True]
    assert broken("a <= 1", NUMBERS, a=[above], b=[1.0], c=[0.0]) == [True]


def test_a_number_rounded_to_32_bits_is_still_that_number():
    assert broken("a <= 0.3", {"a": "numerical"}, a=pa.array([0.3, 0.4], pa.float32())) == [False, True]


def test_infinite_numbers_are_compared():
    inf = float("inf")
    assert broken("a <= b", NUMBERS, a=[inf, inf, 1.0], b=[inf, 1.0, inf], c=[0.0] * 3) == [
        False,
        True,
        False,
    ]


def test_types_of_other_files_are_read_as_numbers():
    assert broken("a >= 5", {"a": {"kind": "numerical", "type": "int64"}}, a=["4", "5"]) == [True, False]


def test_implications_hold_where_the_condition_is_not_known_to_hold():
    kinds = {"x": "categorical", "y": "categorical"}
    rule = "x == 'a' implies y == 'b'"
    assert broken(rule, kinds, x=["a", "a", "a", "c", None], y=["b", "c", None, "c", "c"]) == [
        False, True, False, False, False,
    ]  # fmt: skip


def test_missing_cells_can_be_demanded_and_forbidden():
    kinds = {"x": "categorical", "y": "numerical"}
    rows = {"x": ["a", "a", "b", None], "y": [None, 1.0, None, 1.0]}
    assert broken("x == 'a' implies y is missing", kinds, **rows) == [False, True, False, False]
    assert broken("x != 'a' implies y is not missing", kinds, **rows) == [False, False, True, False]
    assert broken("y is not missing", kinds, **rows) == [True, False, True, False]


def test_nan_is_a_missing_cell():
    assert broken("a is missing", NUMBERS, a=[float("nan"), 1.0], b=[1, 1], c=[1, 1]) == [False, True]


@pytest.mark.parametrize("cells", [[True, False, None], ["True", "false", None], [1, 0, None]], ids=str)
def test_truth_values_are_matched_in_any_type(cells):
    assert broken("m == true", {"m": "boolean"}, m=cells) == [False, True, False]


def test_levels_of_a_dictionary_and_of_numbers_are_matched():
    assert broken("x == 'a'", {"x": "categorical"}, x=pa.array(["a", "b"]).dictionary_encode()) == [
        False,
        True,
    ]
    assert broken("x == '2'", {"x": "categorical"}, x=[2, 3]) == [False, True]
    assert broken("x == 'two'", {"x": "categorical"}, x=[2, 3]) == [True, True]


def test_ordered_levels_have_a_before_and_an_after():
    kinds = {"x": {"kind": "ordinal", "levels": {"values": ["low", "mid", "high"]}}}
    assert broken("x >= 'mid'", kinds, x=["low", "mid", "high", None, "odd"]) == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_moments_are_compared_in_any_unit():
    start = pa.array([DAY, DAY], pa.timestamp("ms"))
    end = pa.array([DAY, DAY - dt.timedelta(microseconds=1)], pa.timestamp("us"))
    assert broken("start <= end", {"start": "datetime", "end": "datetime"}, start=start, end=end) == [
        False,
        True,
    ]


def test_moments_and_lengths_of_time_add_up():
    kinds = {"start": "datetime", "stay": "duration", "end": "datetime"}
    start, end = pa.array([DAY, DAY]), pa.array([DAY + dt.timedelta(days=3)] * 2)
    stay = pa.array([dt.timedelta(days=3), dt.timedelta(days=2)])
    assert broken("start + stay == end", kinds, start=start, stay=stay, end=end) == [False, True]


def test_times_are_compared_with_their_text():
    days = pa.array([dt.date(2020, 1, 1), dt.date(2019, 12, 31), None])
    assert broken("day >= '2020-01-01'", {"day": "date"}, day=days) == [False, True, False]
    assert broken("stay <= '90 s'", {"stay": "duration"}, stay=pa.array([dt.timedelta(seconds=91)])) == [True]


def test_a_text_that_is_no_time_is_refused_without_being_told():
    with pytest.raises(SchemaError, match="does not fit a column of type date32") as caught:
        broken("day >= 'tomorrow'", {"day": "date"}, day=pa.array([dt.date(2020, 1, 1)]))
    assert "tomorrow" not in str(caught.value)


def test_a_table_that_lacks_a_column_of_the_rule_is_refused():
    with pytest.raises(SchemaError, match="the table lacks column 'b'"):
        broken_rows(parse_rule("a <= b"), pa.table({"a": [1]}), schema(a="numerical", b="numerical"))


def test_words_cannot_be_added():
    with pytest.raises(SchemaError, match="column 'x' holds numbers; got cells of type string"):
        broken("x >= 3", {"x": "categorical"}, x=["a"])


def test_a_schema_without_rules_has_none():
    assert rules_of(schema(a="id")) == ()


# A plain Python oracle: None is unknown.

CELLS = st.one_of(st.none(), st.integers(-3, 3))
WORDS = st.one_of(st.none(), st.sampled_from(["p", "q"]))
ROWS = st.lists(st.tuples(CELLS, CELLS, WORDS), min_size=1, max_size=8)
FACTORS = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
SUMS = st.builds(
    Linear,
    st.lists(st.builds(Term, st.sampled_from(["a", "b"]), FACTORS), max_size=3).map(tuple),
    st.integers(-3, 3).map(float),
)
OPERATORS = {
    "<=": operator.le, "<": operator.lt, "==": operator.eq,
    "!=": operator.ne, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
CONDITIONS = st.one_of(
    st.builds(Comparison, SUMS, st.sampled_from(sorted(OPERATORS)), SUMS).filter(lambda rule: rule.columns),
    st.builds(Match, st.just("w"), st.sampled_from(["==", "!="]), st.sampled_from(["p", "q", "r"])),
    st.builds(IsMissing, st.sampled_from(["a", "b", "w"]), st.booleans()),
)


def plain_sum(side, row):
    parts = [row[term.column] for term in side.terms]
    if None in parts:
        return None
    return side.constant + sum(term.factor * part for term, part in zip(side.terms, parts, strict=True))


def plain(rule, row):
    if isinstance(rule, IsMissing):
        return (row[rule.column] is None) == rule.missing
    if isinstance(rule, Match):
        return None if row["w"] is None else OPERATORS[rule.operator](row["w"], rule.value)
    left, right = plain_sum(rule.left, row), plain_sum(rule.right, row)
    return None if left is None or right is None else OPERATORS[rule.operator](left, right)


def plain_broken(rule, row):
    if isinstance(rule, Implies):
        return plain(rule.condition, row) is True and plain(rule.consequence, row) is False
    return plain(rule, row) is False


@given(st.one_of(CONDITIONS, st.builds(Implies, CONDITIONS, CONDITIONS)), ROWS)
def test_rows_are_judged_as_a_plain_reading_judges_them(rule, rows):
    table = pa.table({
        "a": pa.array([row[0] for row in rows], pa.int64()),
        "b": pa.array([row[1] for row in rows], pa.float64()),
        "w": pa.array([row[2] for row in rows], pa.string()),
    })  # fmt: skip
    given_schema = schema(a="numerical", b="numerical", w="categorical")
    found = broken_rows(rule, table, given_schema).tolist()
    assert found == [plain_broken(rule, dict(zip("abw", row, strict=True))) for row in rows]


def test_a_million_rows_are_judged_at_once():
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=10**6), "b": rng.normal(size=10**6)})
    found = broken_rows(parse_rule("a <= b"), table, schema(a="numerical", b="numerical"))
    assert found.mean() == pytest.approx(0.5, abs=0.01)
