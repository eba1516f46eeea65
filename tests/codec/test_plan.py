import numpy as np
import pytest

from understudy.codec.plan import plan
from understudy.codec.style import Style
from understudy.errors import SchemaError
from understudy.privacy import Ledger, Vault
from understudy.table.schema import Column, Schema

SCHEMA = Schema(
    columns=(
        Column(name="key", kind="id", type="int64"),
        Column(
            name="age", kind="numerical", type="int64", bounds={"low": 0, "high": 99}, missing={"rate": 0}
        ),
        Column(name="sex", kind="categorical", levels={"values": ("F", "M")}, missing={"rate": 0.5}),
        Column(name="pay", kind="numerical", type="double", bounds={"low": 0, "high": 1}),
    )
)
COLUMNS = {
    "age": np.array([30, 40, 50, 50]),
    "sex": np.array([0, 1, -1, 1], dtype=np.int32),
    "pay": np.array([0.5, np.nan, 0.25, 1.0]),
}


@pytest.mark.parametrize("numbers", ["minmax", "bins"])
@pytest.mark.parametrize("levels", ["onehot", "codes"])
def test_the_vault_is_not_touched_when_the_schema_is_enough(numbers, levels):
    ledger = Ledger()
    planned = plan(SCHEMA, Style(numbers=numbers, levels=levels))
    codec = planned.fit(Vault(COLUMNS, ledger), np.random.default_rng(0))
    assert planned.reads == {}
    assert ledger.entries == ()
    assert planned.layout == codec.layout


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"numbers": "quantile_normal"}, "codec: quantiles of age, pay"),
        ({"numbers": "modes", "rare": 2}, "codec: modes of age, pay; level counts of sex"),
        ({"numbers": "minmax", "missing": "at_random"}, "codec: missing rate of pay"),
        ({"numbers": "bins", "edges": "quantile"}, "codec: quantile bins of age, pay"),
        ({"numbers": "minmax", "rare": 1}, "codec: level counts of sex"),
    ],
)
def test_whatever_is_learned_is_one_entry_of_infinite_price_that_says_what(settings, why):
    ledger = Ledger()
    plan(SCHEMA, Style(**settings)).fit(Vault(COLUMNS, ledger), np.random.default_rng(0))
    assert [(entry.what, entry.phase, entry.infinite) for entry in ledger.entries] == [
        (why, "preprocess", True)
    ]


def test_many_columns_are_counted_instead_of_named():
    columns = tuple(Column(name=f"c{i}", kind="numerical", type="double") for i in range(7))
    ledger = Ledger()
    rows = {column.name: np.array([1.0, 2.0]) for column in columns}
    plan(Schema(columns=columns), Style()).fit(Vault(rows, ledger), np.random.default_rng(0))
    assert ledger.entries[0].what == "codec: quantiles of 7 columns"


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ({"numbers": "quantile_normal"}, True),
        ({"numbers": "standard", "missing": "at_random"}, True),
        ({"numbers": "modes"}, False),
        ({"numbers": "bins", "edges": "quantile"}, False),
        ({"rare": 1}, False),
    ],
)
def test_the_layout_is_known_before_any_row_unless_a_width_is_learned(settings, known):
    planned = plan(SCHEMA, Style(**settings))
    codec = planned.fit(Vault(COLUMNS, Ledger()), np.random.default_rng(0))
    assert planned.layout == (codec.layout if known else None)


def test_columns_that_are_not_modelled_have_no_place():
    layout = plan(SCHEMA, Style()).layout
    assert {span.name for span in layout.spans} == {"age", "sex", "pay"}


def test_a_schema_with_nothing_to_model_gives_an_empty_codec():
    schema = Schema(columns=(Column(name="key", kind="id", type="int64"),))
    codec = plan(schema, Style()).fit(Vault({}, Ledger()), np.random.default_rng(0))
    assert codec.encode({}).shape == (0, 0)
    assert codec.decode(np.empty((5, 0)), np.random.default_rng(0)) == {}


@pytest.mark.parametrize(
    "column",
    [
        Column(name="x", kind="categorical"),
        Column(name="x", kind="numerical"),
        Column(name="x", kind="numerical", type="string"),
    ],
)
def test_a_schema_that_leaves_types_or_levels_open_is_refused_before_any_row_is_seen(column):
    with pytest.raises(SchemaError, match="column 'x'"):
        plan(Schema(columns=(column,)), Style())


def test_a_vault_of_another_table_is_refused_and_not_read():
    ledger = Ledger()
    with pytest.raises(SchemaError, match="use one schema for both"):
        plan(SCHEMA, Style()).fit(Vault({"age": COLUMNS["age"]}, ledger), np.random.default_rng(0))
    assert ledger.entries == ()
