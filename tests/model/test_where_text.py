from decimal import Decimal

import pytest

from understudy.errors import WhereError
from understudy.model.where_text import where_from_text
from understudy.table.schema import Column, Levels, Schema

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="numerical", type="int64"),
        Column(name="price", kind="numerical", type="decimal128(20, 2)"),
        Column(name="ratio", kind="numerical", type="double"),
        Column(name="sex", kind="categorical", levels=Levels(values=("F", "M", "x|y", "1..2"))),
        Column(name="grade", kind="ordinal", levels=Levels(values=(1, 2, 3))),
        Column(name="joined", kind="date"),
        Column(name="waited", kind="duration"),
        Column(name="a=b", kind="categorical", levels=Levels(values=("c", "b=c"))),
        Column(name="a=b=c", kind="numerical"),
    )
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("age=30", {"age": 30}),
        ("age=-5", {"age": -5}),
        ("age=30..40", {"age": (30, 40)}),
        ("age=..40", {"age": (None, 40)}),
        ("age=30..", {"age": (30, None)}),
        ("age=..", {"age": (None, None)}),
        ("age=-10..-5", {"age": (-10, -5)}),
        ("age=9223372036854775807", {"age": 9223372036854775807}),
        ("ratio=.5..1e3", {"ratio": (0.5, 1000.0)}),
        ("price=12345678901234567.89", {"price": Decimal("12345678901234567.89")}),
        ("age=", {"age": None}),
        ("sex=F", {"sex": "F"}),
        ("sex=F|M", {"sex": ["F", "M"]}),
        ("sex=F|", {"sex": ["F", None]}),
        ("sex=x|y", {"sex": "x|y"}),
        ("sex=1..2", {"sex": "1..2"}),
        ("sex=", {"sex": None}),
        ("grade=2", {"grade": "2"}),
        ("grade=1..2", {"grade": ("1", "2")}),
        ("joined=2024-01-01..2024-06-30", {"joined": ("2024-01-01", "2024-06-30")}),
        ("waited=01:00:00.5..PT2H", {"waited": ("01:00:00.5", "PT2H")}),
        ("waited=3600", {"waited": "3600"}),
        ("a=b=c", {"a=b": "c"}),
        ("a=b=b=c", {"a=b": "b=c"}),
    ],
)
def test_a_condition_is_read_by_the_kind_of_its_column(text, wanted):
    found = where_from_text([text], SCHEMA)
    assert found == wanted
    assert [type(value) for value in found.values()] == [type(value) for value in wanted.values()]


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (["age"], "COLUMN=VALUE"),
        ([""], "COLUMN=VALUE"),
        (["=3"], "''"),
        (["size=3"], "'size'"),
        (["age=x"], "'age'"),
        (["age=1_000"], "'age'"),
        (["age= 3"], "'age'"),
        (["age=٣"], "'age'"),
        (["age=nan"], "'age'"),
        (["age=inf"], "'age'"),
        (["age=1e999"], "'age'"),
        (["age=1..x"], "'age'"),
        (["age=1", "age=2"], "twice"),
    ],
)
def test_a_condition_that_cannot_be_meant_is_refused_by_name(texts, named):
    with pytest.raises(WhereError, match="where: ") as refused:
        where_from_text(texts, SCHEMA)
    assert named in str(refused.value)


def test_no_conditions_are_no_conditions():
    assert where_from_text([], SCHEMA) == {}


def test_a_refusal_of_a_wide_table_names_a_few_columns_only():
    wide = Schema(columns=tuple(Column(name=f"c{place}", kind="numerical") for place in range(500)))
    with pytest.raises(WhereError) as refused:
        where_from_text(["x=1"], wide)
    assert len(str(refused.value)) < 150
