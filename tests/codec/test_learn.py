import numpy as np
import pytest

from understudy.codec.layout import Part
from understudy.codec.learn import known_parts, learned, no_rows, slot_of
from understudy.codec.style import Style
from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.schema import Column

BOUNDED = Column(
    name="x", kind="numerical", type="int64", bounds={"low": 0, "high": 9}, missing={"rate": 0.25}
)
OPEN = Column(name="x", kind="numerical", type="double")
LEVELS = Column(name="x", kind="categorical", levels={"values": ("a", "b")}, missing={"rate": 0})


@pytest.mark.parametrize(
    ("column", "settings", "expected"),
    [
        (BOUNDED, {"numbers": "minmax"}, []),
        (BOUNDED, {"numbers": "minmax", "missing": "at_random"}, []),
        (BOUNDED, {"numbers": "bins"}, []),
        (BOUNDED, {"numbers": "bins", "edges": "quantile"}, ["quantile bins"]),
        (BOUNDED, {"numbers": "standard"}, ["mean and deviation"]),
        (BOUNDED, {"numbers": "quantile_normal"}, ["quantiles"]),
        (BOUNDED, {"numbers": "quantile_uniform"}, ["quantiles"]),
        (BOUNDED, {"numbers": "modes"}, ["modes"]),
        (OPEN, {"numbers": "minmax"}, ["bounds"]),
        (OPEN, {"numbers": "bins"}, ["bounds"]),
        (OPEN, {"numbers": "bins", "missing": "at_random"}, ["bounds"]),
        (OPEN, {"numbers": "minmax", "missing": "at_random"}, ["bounds", "missing rate"]),
        (LEVELS, {}, []),
        (LEVELS, {"rare": 5}, ["level counts"]),
        (LEVELS, {"few": 5}, []),
        (BOUNDED, {"numbers": "minmax", "few": 5}, ["distinct values"]),
    ],
)
def test_only_what_the_schema_leaves_open_is_learned(column, settings, expected):
    assert learned(column, Style(**settings)) == expected


@pytest.mark.parametrize(
    ("column", "settings", "expected"),
    [
        (BOUNDED, {"numbers": "minmax"}, (Part("number", 1), Part("flag", 1))),
        (BOUNDED, {"numbers": "standard", "missing": "at_random"}, (Part("number", 1),)),
        (BOUNDED, {"numbers": "bins"}, (Part("levels", 11),)),
        (BOUNDED, {"numbers": "bins", "levels": "codes", "bins": 5}, (Part("code", 1, 6),)),
        (BOUNDED, {"numbers": "bins", "edges": "quantile"}, None),
        (BOUNDED, {"numbers": "modes"}, None),
        (OPEN, {"numbers": "bins"}, None),
        (OPEN, {"numbers": "quantile_normal"}, (Part("number", 1), Part("flag", 1))),
        (LEVELS, {}, (Part("levels", 2),)),
        (LEVELS, {"rare": 5}, None),
        (BOUNDED, {"numbers": "minmax", "few": 5}, None),
    ],
)
def test_parts_are_known_unless_their_width_is_learned(column, settings, expected):
    assert known_parts(column, Style(**settings)) == expected


@pytest.mark.parametrize("numbers", ["quantile_normal", "quantile_uniform", "standard", "modes", "bins"])
@pytest.mark.parametrize("values", [no_rows(BOUNDED), np.full(3, MISSING_STEP)])
def test_without_a_number_in_any_row_the_bounds_are_learned_from(numbers, values):
    style = Style(numbers=numbers, edges="quantile")
    slot = slot_of(BOUNDED, style, values, np.random.default_rng(0))
    width = sum(part.size for part in slot.parts)
    back = slot.read(np.random.default_rng(0).normal(size=(50, width)), np.random.default_rng(0))
    assert (((back >= 0) & (back <= 9)) | (back == MISSING_STEP)).all()


def test_without_bounds_and_without_a_number_a_column_is_refused():
    with pytest.raises(SchemaError, match="no row holds a number"):
        slot_of(OPEN, Style(), np.array([np.nan]), np.random.default_rng(0))


def test_the_missing_rate_is_the_declared_one_or_that_of_the_rows():
    style = Style(numbers="minmax", missing="at_random")
    rng = np.random.default_rng(0)
    assert slot_of(BOUNDED, style, no_rows(BOUNDED), rng).rate == 0.25
    assert slot_of(OPEN, style, np.array([1.0, np.nan, 2.0, 3.0, np.nan]), rng).rate == 0.4


def test_numbers_with_declared_bounds_keep_the_declared_range():
    slot = slot_of(BOUNDED, Style(numbers="minmax"), np.array([4, 5]), np.random.default_rng(0))
    assert (slot.encoder.low, slot.encoder.high) == (0, 9)


def test_a_quantity_of_few_values_is_written_as_their_numbers_and_another_is_not():
    style, rng = Style(levels="codes", few=3, shared=2), np.random.default_rng(0)
    few = slot_of(BOUNDED, style, np.array([2, 2, 9, 9, MISSING_STEP]), rng)
    many = slot_of(BOUNDED, style, np.arange(8), rng)
    assert few.parts == (Part("code", 1, 3),)
    assert many.parts == (Part("number", 1), Part("flag", 1))
