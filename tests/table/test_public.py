from decimal import Decimal

import pyarrow as pa
import pytest

import understudy as us
from understudy.errors import SchemaError
from understudy.table.public import by_type, is_text, kinds_beyond_types
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.table import Table
from understudy.testing.neighbours import neighbours, others
from understudy.testing.tables import people


def table_of(**columns):
    return Table(pa.table(columns))


def one(column, cells):
    return by_type(table_of(x=cells), Schema(columns=(column,))).column("x")


@pytest.mark.parametrize("family", [neighbours, others])
def test_no_row_changes_what_is_public(family):
    first = by_type(Table(people(60)))
    for what, table in family(people(60)).items():
        assert by_type(Table(table)) == first, what


@pytest.mark.parametrize("family", [neighbours, others])
def test_no_row_changes_what_is_public_of_a_schema_that_was_looked_up(family):
    given = Schema.infer(Table(people(60)))
    first = by_type(Table(people(60)), given)
    for what, table in family(people(60)).items():
        assert by_type(Table(table), given) == first, what


@pytest.mark.parametrize(
    ("kind", "meaning", "resolution"),
    [
        (pa.int32(), "numerical", 1.0),
        (pa.uint64(), "numerical", 1.0),
        (pa.float32(), "numerical", None),
        (pa.decimal128(9, 2), "numerical", 0.01),
        (pa.bool_(), "boolean", None),
        (pa.string(), "categorical", None),
        (pa.dictionary(pa.int8(), pa.string()), "categorical", None),
        (pa.dictionary(pa.int8(), pa.int64()), "categorical", None),
        (pa.dictionary(pa.int8(), pa.float64()), "categorical", None),
        (pa.dictionary(pa.int8(), pa.date32()), "categorical", None),
        (pa.dictionary(pa.int8(), pa.bool_()), "boolean", None),
        (pa.dictionary(pa.int8(), pa.null()), "all_missing", None),
        (pa.date32(), "date", None),
        (pa.time64("us"), "time", None),
        (pa.timestamp("ms", "UTC"), "datetime", None),
        (pa.duration("s"), "duration", None),
        (pa.null(), "all_missing", None),
    ],
    ids=str,
)
def test_kinds_follow_from_types(kind, meaning, resolution):
    column = by_type(table_of(x=pa.nulls(0, kind))).column("x")
    assert (column.kind, column.resolution) == (meaning, resolution)
    assert column.bounds is None
    assert column.missing is None


def test_truth_values_have_their_levels_from_their_type():
    assert by_type(table_of(x=pa.array([True]))).column("x").levels.values == (False, True)


def test_a_type_that_nothing_can_be_made_of_is_refused():
    with pytest.raises(SchemaError, match="not supported"):
        by_type(table_of(x=pa.array([b"bytes"])))


def test_a_column_that_cannot_be_missing_has_a_rate_of_nought_from_its_type():
    schema = pa.schema(
        [pa.field("n", pa.int64(), nullable=False), pa.field("f", pa.float64(), nullable=False)]
    )
    found = by_type(Table(pa.table([[1], [1.0]], schema=schema)))
    assert found.column("n").missing == Missing(rate=0.0)
    assert found.column("f").missing is None, "NaN is missing, and any float can be NaN"


def test_decimals_that_a_file_writes_are_a_resolution():
    field = pa.field("paid", pa.float64(), metadata={"understudy.decimals": "2"})
    found = by_type(Table(pa.table([[1.25]], schema=pa.schema([field])))).column("paid")
    assert found.resolution == 0.01
    assert found.form == {"decimals": "2"}


def test_what_is_declared_is_kept_and_what_was_observed_is_left_open():
    declared = Column(name="x", kind="numerical", bounds=Bounds(low=0, high=9), missing=Missing(rate=0.1))
    assert one(declared, pa.array([1.0])).bounds == Bounds(low=0, high=9)
    seen = declared.model_copy(update={"bounds": Bounds(low=0, high=9, source="observed")})
    assert one(seen, pa.array([1.0])).bounds is None
    assert one(seen, pa.array([1.0])).missing == Missing(rate=0.1)
    bought = declared.model_copy(update={"bounds": Bounds(low=0, high=9, source="bought")})
    assert one(bought, pa.array([1.0])).bounds.source == "bought"


def test_a_resolution_and_a_template_that_were_looked_up_are_left_open_too():
    cells = pa.array([f"K-{number:04}" for number in range(90)])
    table = table_of(key=cells, paid=pa.array([number / 4 for number in range(90)]))
    seen = Schema.infer(table)
    assert seen.column("key").template is not None
    assert seen.column("paid").resolution is not None
    found = by_type(table, seen)
    assert found.column("key").template is None
    assert found.column("paid").resolution is None
    kept = by_type(table, seen.declare())
    assert kept.column("key").template == seen.column("key").template
    assert kept.column("paid").resolution == seen.column("paid").resolution


def test_a_constant_that_was_only_seen_becomes_what_its_type_says():
    table = table_of(x=pa.array(["same"] * 30))
    seen = Schema.infer(table)
    assert seen.column("x").kind == "constant"
    found = by_type(table, seen).column("x")
    assert (found.kind, found.levels) == ("categorical", None)
    assert by_type(table, seen.declare()).column("x").kind == "constant"


@pytest.mark.parametrize(
    ("cells", "kind", "wanted"),
    [
        (pa.array(["1", "x"]), "numerical", "int64"),
        (pa.array(["2020-01-01"]), "date", "date32[day]"),
        (pa.array([1]), "date", "date32[day]"),
        (pa.array([True]), "numerical", "int64"),
        (pa.array(["a"]), "categorical", "int64"),
    ],
)
def test_a_type_that_not_every_cell_can_be_read_as_is_refused_for_its_type(cells, kind, wanted):
    with pytest.raises(SchemaError, match="do not fit the schema's"):
        one(Column(name="x", kind=kind, type=wanted), cells)


@pytest.mark.parametrize(
    ("cells", "kind", "wanted"),
    [
        (pa.array([1]), "numerical", "int8"),
        (pa.array([1.5]), "numerical", "int64"),
        (pa.array([1]), "categorical", "string"),
        (pa.array([1], pa.timestamp("s")), "datetime", "timestamp[ns]"),
        (pa.array(["a"]).dictionary_encode(), "categorical", "string"),
    ],
)
def test_a_type_that_every_cell_can_be_read_as_is_taken(cells, kind, wanted):
    assert one(Column(name="x", kind=kind, type=wanted), cells).type == wanted


def test_columns_that_do_not_match_are_refused_by_name():
    with pytest.raises(SchemaError, match="lacks column 'y'"):
        by_type(table_of(x=[1]), Schema(columns=tuple(Column(name=n, kind="ignore") for n in "xy")))
    with pytest.raises(SchemaError, match="does not name its column 'y'"):
        by_type(table_of(x=[1], y=[2]), Schema(columns=(Column(name="x", kind="ignore"),)))


@pytest.mark.parametrize("kind", ["ignore", "text", "all_missing"])
def test_columns_that_are_not_read_only_need_a_type(kind):
    assert one(Column(name="x", kind=kind), pa.array(["a"])).type == "string"


def test_declared_levels_stay():
    levels = Levels(values=("a", "b"))
    assert one(Column(name="x", kind="categorical", levels=levels), pa.array(["z"])).levels == levels


def test_text_has_three_layouts():
    assert all(is_text(kind) for kind in (pa.string(), pa.large_string(), pa.string_view()))
    assert not is_text(pa.int64())


def test_a_declared_schema_is_put_into_the_order_of_the_table():
    table = Table(pa.table({"b": [1], "a": [2]}))
    declared = Schema(columns=(Column(name="a", kind="numerical"), Column(name="b", kind="numerical")))
    assert [column.name for column in by_type(table, declared).columns] == ["b", "a"]


def test_what_a_declared_type_leaves_open_is_not_taken_from_the_tables_own():
    declared = Schema.from_json('{"columns": [{"name": "n", "kind": "numerical", "type": "double"}]}')
    whole, fixed = pa.array([1, 2]), pa.array([Decimal("1.25"), None])
    found = [by_type(us.read(pa.table({"n": cells})), declared).column("n") for cells in (whole, fixed)]
    assert found[0] == found[1] and found[0].resolution is None


def test_kinds_that_were_looked_up_are_named_and_those_of_types_are_not():
    keys, gone = [f"k{n}" for n in range(40)], pa.nulls(40, pa.string())
    table = pa.table({"key": keys, "gone": gone, "n": [0.5] * 40})
    looked = us.Schema.infer(table)
    assert kinds_beyond_types(looked) == ("key", "gone", "n")
    budget = us.Budget(epsilon=1.0, delta=1e-6)
    fitted = us.synth.get("histogram")().fit(table, schema=looked, budget=budget, progress=False)
    assert any("'key', 'gone'" in line for line in fitted.certificate.assumptions)
    assert kinds_beyond_types(looked.declare()) == ()


def test_a_declared_form_tells_the_step_and_the_cells_do_not(tmp_path):
    path = tmp_path / "paid.csv"
    path.write_text("paid\n1.25\n2.50\n")
    looked = us.Schema.infer(us.read(path))  # its step is observed, and left open again; its form is stated
    assert by_type(us.read(path), looked).column("paid").resolution == 0.01
    path.write_text("paid\n1.25\n2.504\n")
    assert by_type(us.read(path), looked).column("paid").resolution == 0.01
