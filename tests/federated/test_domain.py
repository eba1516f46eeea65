from dataclasses import replace

import numpy as np
import pytest

from federated.parties import SCHEMA, table
from understudy.engines.margin import LevelMargin, QuantityMargin, fit_margins
from understudy.errors import InputError, SchemaError
from understudy.federated.domain import Domain, merged_schema
from understudy.federated.message import Message
from understudy.table.columns import to_columns
from understudy.table.schema import Bounds, Levels, Missing, Schema


def domain(rows=60, seed=0):
    margins = fit_margins(to_columns(table(rows, seed), SCHEMA), {"town": 3}, 100)
    return Domain(SCHEMA, margins, float(rows))


def opened(source, low, high, levels, rate):
    columns = [
        SCHEMA.columns[0].model_copy(
            update={
                "bounds": Bounds(low=low, high=high, source=source),
                "missing": Missing(rate=rate, source=source),
            }
        ),
        SCHEMA.columns[1].model_copy(update={"levels": Levels(values=levels, source=source)}),
    ]
    return Schema(columns=tuple(columns))


def test_a_domain_comes_back_from_its_message():
    found = Domain.of(Message.from_bytes(domain().to_message("margins").to_bytes()))
    assert found.schema == SCHEMA and found.rows == 60.0
    assert np.array_equal(found.margins["age"].values, domain().margins["age"].values)


def test_domains_are_merged_in_an_order_that_nobody_decides():
    told = {name: domain(40 + 20 * k, k) for k, name in enumerate("abc")}
    left = Domain.merged(told, SCHEMA)
    right = Domain.merged({name: told[name] for name in "cab"}, SCHEMA)
    assert left.rows == right.rows == 180.0
    assert left.to_message("domain").digest() == right.to_message("domain").digest()


@pytest.mark.parametrize("source", ["bought", "observed"])
def test_bounds_are_widened_levels_united_and_rates_averaged(source):
    told = [opened(source, 5, 60, ("A", "C"), 0.1), opened(source, 0, 40, ("B",), 0.4)]
    found = merged_schema(told, [100.0, 200.0])
    assert (found.column("age").bounds.low, found.column("age").bounds.high) == (0, 60)
    assert found.column("town").levels.values == ("A", "B", "C")
    assert found.column("age").missing.rate == pytest.approx(0.3)
    assert {found.column("age").bounds.source, found.column("town").levels.source} == {source}


def graded(*levels):
    part = {"levels": Levels(values=levels, source="bought")}
    return Schema(columns=(SCHEMA.columns[1].model_copy(update=part),))


def test_levels_keep_the_order_that_sites_have_them_in():
    told = [graded("low", "high"), graded("none", "mid", "high"), graded("low", "mid")]
    found = merged_schema(told, [1.0, 2.0, 3.0])
    assert found.column("town").levels.values == ("low", "none", "mid", "high")
    assert merged_schema(told[::-1], [3.0, 2.0, 1.0]) == found


def test_levels_that_sites_have_in_two_orders_stand_in_their_own():
    found = merged_schema([graded("low", "high"), graded("high", "low", "mid")], [1.0, 1.0])
    assert found.column("town").levels.values == ("high", "low", "mid")


def test_what_is_declared_stays_as_it_is():
    assert merged_schema([SCHEMA, SCHEMA], [1.0, 9.0]) == SCHEMA


def test_schemas_of_other_columns_kinds_or_types_are_refused():
    fewer = Schema(columns=SCHEMA.columns[:1])
    other = Schema(columns=(SCHEMA.columns[0].model_copy(update={"type": "double"}), SCHEMA.columns[1]))
    for odd, words in ((fewer, "different columns"), (other, "another kind or type")):
        with pytest.raises(SchemaError, match=words):
            merged_schema([SCHEMA, odd], [1.0, 1.0])


def test_margins_of_another_schema_are_not_merged():
    with pytest.raises(SchemaError, match="another schema"):
        Domain.merged({"a": domain()}, opened("bought", 0, 9, ("A",), 0.0))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -0.5, 1.5])
def test_a_margin_that_is_no_distribution_is_refused(odd):
    made = domain()
    upper = made.margins["age"].upper.copy()
    upper[1] = odd
    margins = {**made.margins, "age": QuantityMargin(made.margins["age"].values, upper, upper, 0.0)}
    with pytest.raises(InputError, match="distribution"):
        Domain.of(Domain(SCHEMA, margins, 60.0).to_message("margins"))


def test_margins_of_other_levels_kinds_or_values_are_refused():
    made = domain()
    odd = [
        {**made.margins, "town": LevelMargin.fit(np.zeros(3, np.int32), 5)},
        {**made.margins, "town": made.margins["age"]},
        {**made.margins, "age": QuantityMargin(np.array([5, 1]), np.zeros(2), np.ones(2), 0.0)},
        {**made.margins, "age": QuantityMargin(np.array([0.0, np.inf]), np.zeros(2), np.ones(2), 0.0)},
        {**made.margins, "age": QuantityMargin(np.array([1, 5]), np.zeros(2), np.ones(2), 2.0)},
    ]
    for margins in odd:
        with pytest.raises(InputError, match="margin"):
            Domain.of(Domain(SCHEMA, margins, 60.0).to_message("margins"))


def laws(values, lower, upper, missing=0.0):
    return {
        **domain().margins,
        "age": QuantityMargin(np.array(values), np.array(lower), np.array(upper), missing),
    }


def graded_as(kind):
    town = domain().margins["town"]
    return {**domain().margins, "town": LevelMargin(town.codes.astype(kind), town.upper)}


ODD_MARGINS = {
    "above the bounds": (laws([5, 101], [0.0, 1.0], [0.0, 1.0]), "outside"),
    "below the bounds": (laws([-1, 9], [0.0, 1.0], [0.0, 1.0]), "outside"),
    "far away": (laws([-(2**63), 2**63 - 1], [0.0, 1.0], [0.0, 1.0]), "outside"),
    "floats for steps": (laws([5.0, 9.0], [0.0, 1.0], [0.0, 1.0]), "out of order"),
    "truths for steps": (laws([False, True], [0.0, 1.0], [0.0, 1.0]), "out of order"),
    "no mass": (laws([5, 9], [0.0, 0.0], [0.0, 0.0]), "from 0 to 1"),
    "half of the mass": (laws([5, 9], [0.0, 0.5], [0.0, 0.5]), "from 0 to 1"),
    "begins too late": (laws([5, 9], [0.5, 1.0], [0.5, 1.0]), "from 0 to 1"),
    "falls at a value": (laws([5, 9], [0.9, 1.0], [0.0, 1.0]), "from 0 to 1"),
    "falls on a line": (laws([5, 9], [0.0, 0.2], [0.9, 1.0]), "from 0 to 1"),
    "small floats for codes": (graded_as(np.float16), "other levels"),
    "wide codes": (graded_as(np.int64), "other levels"),
    "levels without mass": (
        {**domain().margins, "town": LevelMargin(domain().margins["town"].codes, np.zeros(4))},
        "end at 1",
    ),
}


@pytest.mark.parametrize(("margins", "why"), ODD_MARGINS.values(), ids=ODD_MARGINS)
def test_a_margin_that_no_rows_of_the_schema_have_is_refused(margins, why):
    with pytest.raises(InputError, match=why):
        Domain.of(Domain(SCHEMA, margins, 60.0).to_message("margins"))


def test_a_column_that_is_always_missing_has_a_law_without_mass():
    Domain.of(Domain(SCHEMA, laws([0, 100], [0.0, 0.0], [0.0, 0.0], 1.0), 60.0).to_message("margins"))


def test_sites_are_mixed_by_rows_and_none_by_more_than_ten_medians():
    told = {"a": domain(60, 0), "b": replace(domain(60, 1), rows=1e300), "c": domain(60, 2)}
    by_rows = Domain.merged(told, SCHEMA)
    assert by_rows.rows == 60 + 600 + 60
    assert Domain.merged(told, SCHEMA, most=100.0).rows == 60 + 100 + 60
    wanted = np.average([each.margins["town"].upper for each in told.values()], axis=0, weights=[60, 600, 60])
    assert by_rows.margins["town"].upper == pytest.approx(wanted)


@pytest.mark.parametrize("ending", ["values", "codes"])
def test_an_array_without_an_axis_is_refused_in_words(ending):
    message = domain().to_message("margins")
    odd = next(name for name in message.arrays if name.endswith(ending))
    flat = {**message.arrays, odd: np.asarray(message.arrays[odd].reshape(-1)[0])}
    with pytest.raises(InputError, match="margin"):
        Domain.of(Message("margins", message.facts, flat))


def test_a_domain_that_lacks_a_margin_or_a_count_is_refused():
    message = domain().to_message("margins")
    fewer = {name: value for name, value in message.arrays.items() if not name.startswith("1.")}
    with pytest.raises(InputError, match="no margin"):
        Domain.of(Message("margins", message.facts, fewer))
    with pytest.raises(InputError, match="rows"):
        Domain.of(Message("margins", {**message.facts, "rows": -1.0}, message.arrays))


def test_a_domain_makes_a_codec_in_which_rows_come_back():
    columns = to_columns(table(60), SCHEMA)
    bought = domain().bought()
    matrix = bought.rule(columns)
    back = bought.codec.decode(matrix, np.random.default_rng(0))
    assert np.array_equal(back["town"], columns["town"])
    assert np.abs(back["age"] - columns["age"]).max() <= 1
