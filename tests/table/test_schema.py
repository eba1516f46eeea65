"""Schemas: read strictly, written so that a person can edit them, and never a value in an error."""

from __future__ import annotations

import contextlib
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import InputError, SchemaError, UnderstudyError, VersionError
from understudy.table.infer import complete
from understudy.table.read import read
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema

SECRET = "s3cr3t"


def one(**parts):
    return {"columns": [{"name": "c", "kind": "numerical", **parts}]}


def kind(kind, **parts):
    return one(kind=kind, **parts)


# Each malformed file, and words of the place that the error must name.
MALFORMED = {
    "empty file": ("", "not valid JSON at line 1"),
    "white space": (" \n ", "not valid JSON"),
    "no JSON": ("columns: []", "not valid JSON at line 1"),
    "cut off": ('{"columns": [\n{"name": "a"', "not valid JSON at line 2"),
    "trailing comma": ('{"columns": [],}', "not valid JSON"),
    "comments": ('{"columns": [] // none\n}', "not valid JSON"),
    "two documents": ("{} {}", "not valid JSON"),
    "bytes of no encoding": (b"\xff\xfe\xff\xd8\x00", "not valid JSON"),
    "nested a hundred thousand deep": ("[" * 100_000, "not valid JSON"),
    "a number with too many digits": ('{"format": ' + "9" * 5_000 + "}", "not valid JSON"),
    "a list": ([], "the whole file"),
    "a text": (SECRET, "the whole file"),
    "a number": (5, "the whole file"),
    "null": (None, "the whole file"),
    "no columns at all": ({}, "columns"),
    "columns empty": ({"columns": []}, "columns"),
    "columns null": ({"columns": None}, "columns"),
    "columns an object": ({"columns": {"a": {"kind": "id"}}}, "columns"),
    "columns a text": ({"columns": SECRET}, "columns"),
    "an unknown key": ({"columns": [{"name": "c", "kind": "id"}], "owner": SECRET}, "owner"),
    "a repeated key": ('{"columns": [{"name": "c", "kind": "id", "kind": "text"}]}', "'kind' stands twice"),
    "a column that is null": ({"columns": [None]}, "columns.0"),
    "a column that is text": ({"columns": [SECRET]}, "columns.0"),
    "a column that is a list": ({"columns": [["c", "id"]]}, "columns.0"),
    "no name": ({"columns": [{"kind": "id"}]}, "columns.0.name"),
    "an empty name": (one(name=""), "columns.0.name"),
    "a blank name": (one(name=" \t"), "columns.0.name"),
    "a name that is a number": (one(name=5), "columns.0.name"),
    "a name that is null": (one(name=None), "columns.0.name"),
    "a name that is half a character": ('{"columns": [{"name": "\\ud800", "kind": "id"}]}', "columns.0.name"),
    "rules that are text": (one() | {"rules": "c > 0"}, "rules"),
    "a rule that is a number": (one() | {"rules": [5]}, "rules.0"),
    "a rule that cannot be read": (one() | {"rules": ["c > 0", "c >"]}, "rules.1: at character 4"),
    "a rule about no column": (one() | {"rules": ["d > 0"]}, "rules.0: there is no column 'd'"),
    "a rule about an ignored column": (kind("ignore") | {"rules": ["c > 0"]}, "rules.0: there is no column"),
    "a rule with a word for a number": (one() | {"rules": ["c == 'x'"]}, "rules.0: column 'c' holds numbers"),
    "a rule with a number for a time": (kind("date") | {"rules": ["c > 5"]}, "rules.0: column 'c' holds"),
    "a rule with truth for a time": (kind("date") | {"rules": ["c == true"]}, "rules.0: column 'c' holds"),
    "a rule about no order": (kind("categorical") | {"rules": ["c > 'x'"]}, "column 'c' has no order"),
    "a rule about no level": (
        kind("categorical", levels={"values": ["a"]}) | {"rules": ["c == 'b'"]},
        "rules.0: column 'c' states levels",
    ),
    "two columns of one name": ({"columns": [{"name": "c", "kind": "id"}] * 2}, "columns.0 and columns.1"),
    "no kind": ({"columns": [{"name": "c"}]}, "columns.0.kind"),
    "an unknown kind": (one(kind=SECRET), "columns.0.kind"),
    "a kind in capitals": (one(kind="Numerical"), "columns.0.kind"),
    "a kind that is a list": (one(kind=["id"]), "columns.0.kind"),
    "an unknown part": (one(colour=SECRET), "columns.0.colour"),
    "a second column that is wrong": (
        {"columns": [{"name": "a", "kind": "id"}, {"name": "b", "kind": SECRET}]}, "columns.1.kind"),
    "format of the future as text": ({**one(), "format": "2"}, "format"),
    "format 1 as text": ({**one(), "format": "1"}, "format"),
    "format a float": ({**one(), "format": 1.0}, "format"),
    "format true": ({**one(), "format": True}, "format"),
    "format null": ({**one(), "format": None}, "format"),
    "format zero": ({**one(), "format": 0}, "format"),
    "format negative": ({**one(), "format": -1}, "format"),
    "an unknown type": (one(type=SECRET), "columns.0: type must be"),
    "a type that no table holds": (one(type="list<item: int64>"), "columns.0: type must be"),
    "a decimal of impossible size": (one(type="decimal128(99, 2)"), "columns.0: type must be"),
    "a type that is a number": (one(type=64), "columns.0.type"),
    "a type that is empty": (one(type=""), "columns.0: type must be"),
    "nullable as text": (one(nullable="yes"), "columns.0.nullable"),
    "nullable as a number": (one(nullable=1), "columns.0.nullable"),
    "nullable null": (one(nullable=None), "columns.0.nullable"),
    "a resolution that is no power of ten": (one(resolution=0.25), "columns.0: resolution"),
    "a resolution of zero": (one(resolution=0), "columns.0: resolution"),
    "a negative resolution": (one(resolution=-1), "columns.0: resolution"),
    "a resolution as text": (one(resolution="0.01"), "columns.0.resolution"),
    "a resolution that is true": (one(resolution=True), "columns.0.resolution"),
    "a resolution that is infinite": (one(resolution=float("inf")), "columns.0.resolution"),
    "a resolution that is a list": (one(resolution=[1]), "columns.0.resolution"),
    "a unit of time for a number": (one(resolution="day"), "columns.0: resolution"),
    "a number for a date": (kind("date", resolution=1), "columns.0: resolution"),
    "an unknown unit": (kind("date", resolution="week"), "columns.0.resolution"),
    "a resolution for levels": (kind("categorical", resolution=1), "columns.0: a column of kind categorical"),
    "bounds upside down": (one(bounds={"low": 5, "high": 1}), "columns.0.bounds"),
    "bounds without high": (one(bounds={"low": 5}), "columns.0.bounds.high"),
    "bounds as a list": (one(bounds=[1, 5]), "columns.0.bounds"),
    "bounds of text and number": (one(bounds={"low": "1", "high": 5}), "columns.0.bounds"),
    "bounds of words for numbers": (one(bounds={"low": SECRET, "high": SECRET}), "columns.0: bounds"),
    "decimal bounds upside down": (one(bounds={"low": "5.5", "high": "1.5"}), "columns.0: low must not"),
    "infinite decimal bounds": (one(bounds={"low": "-Infinity", "high": "1"}), "columns.0: bounds must"),
    "bounds of NaN": (one(bounds={"low": float("nan"), "high": 1}), "columns.0.bounds.low"),
    "bounds of infinity": (one(bounds={"low": 1, "high": float("inf")}), "columns.0.bounds.high"),
    "bounds that are true": (one(bounds={"low": False, "high": True}), "columns.0.bounds.low"),
    "bounds that are null": (one(bounds={"low": None, "high": 1}), "columns.0.bounds.low"),
    "bounds of lists": (one(bounds={"low": [1], "high": [2]}), "columns.0.bounds.low"),
    "bounds with a word more": (one(bounds={"low": 1, "high": 2, "mean": 1}), "columns.0.bounds.mean"),
    "bounds for levels": (kind("ordinal", bounds={"low": 1, "high": 2}), "columns.0: a column of"),
    "numbers as bounds of a date": (kind("date", bounds={"low": 1, "high": 2}), "columns.0: bounds"),
    "an unknown source": (one(bounds={"low": 1, "high": 2, "source": "guessed"}), "columns.0.bounds.source"),
    "a source in capitals": (one(missing={"rate": 0, "source": "Declared"}), "columns.0.missing.source"),
    "levels for a number": (one(levels={"values": [1, 2]}), "columns.0: a column of kind numerical"),
    "levels without values": (kind("categorical", levels={}), "columns.0.levels.values"),
    "no level": (kind("categorical", levels={"values": []}), "columns.0.levels.values"),
    "levels as a bare list": (kind("categorical", levels=["a", "b"]), "columns.0.levels"),
    "levels as one text": (kind("categorical", levels={"values": SECRET}), "columns.0.levels.values"),
    "a level twice": (kind("categorical", levels={"values": [SECRET, SECRET]}), "columns.0.levels"),
    "1 and 1.0": (kind("ordinal", levels={"values": [1, 1.0]}), "columns.0.levels"),
    "0.0 and -0.0": (kind("ordinal", levels={"values": [0.0, -0.0]}), "columns.0.levels"),
    "levels of text and numbers": (kind("categorical", levels={"values": ["1", 1]}), "columns.0.levels"),
    "levels of truth and numbers": (kind("categorical", levels={"values": [True, 2]}), "columns.0.levels"),
    "a level that is null": (kind("categorical", levels={"values": [None]}), "columns.0.levels.values.0"),
    "a level that is a list": (kind("categorical", levels={"values": [[1]]}), "columns.0.levels.values.0"),
    "a level that is an object": (kind("categorical", levels={"values": [{}]}), "columns.0.levels.values.0"),
    "two levels of a constant": (kind("constant", levels={"values": ["a", "b"]}), "columns.0: a constant"),
    "levels for an id": (kind("id", levels={"values": ["a"]}), "columns.0: a column of kind id"),
    "a rate above one": (one(missing={"rate": 1.5}), "columns.0.missing.rate"),
    "a rate below zero": (one(missing={"rate": -0.1}), "columns.0.missing.rate"),
    "a rate as text": (one(missing={"rate": "0.5"}), "columns.0.missing.rate"),
    "a rate that is true": (one(missing={"rate": True}), "columns.0.missing.rate"),
    "a rate that is null": (one(missing={"rate": None}), "columns.0.missing.rate"),
    "a bare rate": (one(missing=0.5), "columns.0.missing"),
    "no rate": (one(missing={"source": "declared"}), "columns.0.missing.rate"),
    "a template for a number": (one(template="9999"), "columns.0: a column of kind numerical"),
    "a template that is a number": (kind("id", template=9999), "columns.0.template"),
    "a template that ends in a backslash": (kind("id", template="A9\\"), "columns.0: a backslash"),
    "a form that is text": (one(form="2"), "columns.0.form"),
    "a form of numbers": (one(form={"decimals": 2}), "columns.0.form.decimals"),
    "a note that is a list": (one(note=["x"]), "columns.0.note"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_with_its_place_and_without_its_values(name, tmp_path):
    content, place = MALFORMED[name]
    text = content if isinstance(content, str | bytes) and content != SECRET else json.dumps(content)
    path = tmp_path / "people.schema.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SchemaError) as caught:
        Schema.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert place in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 400


def test_there_are_more_than_eighty_malformed_files():
    assert len(MALFORMED) > 80


@pytest.mark.parametrize("number", [2, 3, 10**6])
def test_a_newer_format_asks_for_an_update_whatever_else_the_file_holds(number):
    with pytest.raises(VersionError, match="newer than 1; update understudy"):
        Schema.from_json(json.dumps({"format": number, "tables": []}))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(SchemaError, match="cannot read"):
            Schema.load(path)


def test_a_file_too_large_for_a_schema_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr("understudy.table.schema.LARGEST_FILE", 1_000)
    path = tmp_path / "s.json"
    path.write_text(" " * 5_000)
    with pytest.raises(SchemaError, match="this is not a schema"):
        Schema.load(path)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["columns", "name", "kind", "levels", "values", "bounds", "low", "format", "x"]),
        inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_at_all_gives_a_schema_or_a_typed_error(tree):
    with contextlib.suppress(UnderstudyError):  # the point: nothing else may be raised
        assert isinstance(Schema.from_json(json.dumps(tree)), Schema)


MINIMAL = {
    "only names and kinds": {"columns": [{"name": "a", "kind": "numerical"}, {"name": "b", "kind": "id"}]},
    "with a pointer to the JSON Schema": {"$schema": "schema.json", **one()},
    "with a format": {"format": 1, **one()},
    "whole bounds": one(bounds={"low": 0, "high": 120}),
    "float bounds": one(bounds={"low": -0.5, "high": 1e9}),
    "exact bounds": one(type="decimal128(38, 4)", bounds={"low": "0.0001", "high": "100000000000000.0001"}),
    "a whole resolution": one(resolution=1),
    "a fine resolution": one(resolution=1e-6),
    "a coarse resolution": one(resolution=1000),
    "bounds of a date": kind("date", bounds={"low": "1900-01-01", "high": "2030-12-31"}, resolution="day"),
    "levels in order": kind("ordinal", levels={"values": ["low", "middle", "high"]}),
    "levels of numbers": kind("ordinal", levels={"values": [1, 2, 2.5]}),
    "levels of truth": kind("boolean", levels={"values": [False, True]}),
    "a rate of none": one(missing={"rate": 0}),
    "a template": kind("id", template="AA-9999\\A"),
    "a note": one(note="asked in 2024 only"),
    "an ignored column": kind("ignore"),
}  # fmt: skip


@pytest.mark.parametrize("name", MINIMAL)
def test_a_minimal_schema_written_by_hand_is_read_and_survives_being_written_again(name):
    schema = Schema.from_json(json.dumps(MINIMAL[name]))
    assert Schema.from_json(schema.to_json()) == schema
    assert all(source == "declared" for column in schema.columns for _, source in column.sources())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_of_json_is_read(encoding, tmp_path):
    path = tmp_path / "s.json"
    path.write_bytes(json.dumps(one(name="größe"), ensure_ascii=False).encode(encoding))
    assert Schema.load(path).columns[0].name == "größe"


def test_what_was_observed_stays_observed_in_a_file(tmp_path):
    # No laundering: saving and loading a schema does not make it public knowledge.
    observed = Schema(
        columns=(
            Column(name="a", kind="numerical", bounds=Bounds(low=1, high=2, source="observed"),
                   missing=Missing(rate=0.5, source="bought")),
            Column(name="b", kind="categorical", levels=Levels(values=("x",), source="observed")),
        )
    )  # fmt: skip
    observed.save(tmp_path / "s.json")
    again = Schema.load(tmp_path / "s.json")
    assert again == observed
    assert again.observed() == [("a", "bounds"), ("b", "levels")]
    assert dict(again.column("a").sources()) == {"bounds": "observed", "missing": "bought"}


def test_only_declaring_makes_a_schema_declared():
    schema = Schema.from_json(json.dumps(one(bounds={"low": 1, "high": 2, "source": "observed"})))
    assert schema.observed() == [("c", "bounds")]
    assert schema.declare().observed() == []
    assert schema.observed() == [("c", "bounds")]


def test_a_column_is_found_by_its_name():
    schema = Schema.from_json(json.dumps(one()))
    assert schema.column("c").kind == "numerical"
    with pytest.raises(SchemaError, match="no column 'd'"):
        schema.column("d")


def test_a_schema_cannot_be_changed():
    schema = Schema.from_json(json.dumps(one()))
    with pytest.raises(ValueError, match="frozen"):
        schema.columns[0].kind = "id"


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda t: not t.isspace()
)
sources = st.sampled_from(["declared", "bought", "observed"])
finite = st.floats(allow_nan=False, allow_infinity=False)
missing = st.none() | st.builds(Missing, rate=st.floats(0, 1), source=sources)
pairs = st.one_of(st.tuples(st.integers(), st.integers()), st.tuples(finite, finite)).map(sorted)
bounds = st.none() | st.builds(
    lambda ends, source: Bounds(low=ends[0], high=ends[1], source=source), pairs, sources
)
level_values = st.one_of(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, unique=True),
    st.lists(st.integers(), min_size=1, unique=True),
    st.lists(finite, min_size=1, unique=True),
    st.just([False, True]),
)
levels = st.none() | st.builds(Levels, values=level_values.map(tuple), source=sources)
columns = st.one_of(
    st.builds(Column, name=names, kind=st.just("numerical"), bounds=bounds, missing=missing,
              nullable=st.booleans(), type=st.sampled_from([None, "int64", "double"]),
              resolution=st.sampled_from([None, 1.0, 0.01])),
    st.builds(Column, name=names, kind=st.sampled_from(["categorical", "ordinal"]), levels=levels,
              missing=missing),
    st.builds(Column, name=names, kind=st.just("id"), template=st.none() | st.just("A-99\\9"),
              note=st.none() | names),
    st.builds(Column, name=names, kind=st.sampled_from(["text", "all_missing", "ignore"]),
              form=st.none() | st.dictionaries(names, names, min_size=1, max_size=2)),
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(columns, min_size=1, max_size=4, unique_by=lambda column: column.name))
def test_every_schema_survives_its_json(found):
    schema = Schema(columns=tuple(found))
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.to_json() == schema.to_json()
    for before, after in zip(schema.columns, again.columns, strict=True):
        if before.levels is not None:  # 1 == 1.0 == True, so types are compared too
            assert list(map(type, before.levels.values)) == list(map(type, after.levels.values))


@pytest.mark.parametrize("path", [None, 5, b"x", "a\0b"], ids=repr)
def test_a_schema_is_loaded_from_and_saved_to_a_path_and_nothing_else(path):
    schema = Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')
    for use in (Schema.load, schema.save):
        with pytest.raises(InputError, match="schema: expected"):
            use(path)


@pytest.mark.parametrize("text", [None, 5, ["{}"], {}], ids=repr)
def test_a_schema_is_read_from_text_and_nothing_else(text):
    with pytest.raises(SchemaError, match="expected JSON text"):
        Schema.from_json(text)


def test_a_schema_is_inferred_from_whatever_can_be_read(tmp_path):
    arrow = pa.table({"age": [31, 42, 64] * 10, "sex": ["F", "M", None] * 10})
    expected = Schema.infer(read(arrow))
    assert Schema.infer(arrow) == expected
    read(arrow).write(tmp_path / "x.csv")
    for source in (arrow.to_pandas(), tmp_path / "x.csv", str(tmp_path / "x.csv")):
        assert [c.kind for c in Schema.infer(source).columns] == [c.kind for c in expected.columns]
    with pytest.raises(InputError, match="expected a table; got int"):
        Schema.infer(5)


def test_rules_are_kept_and_a_schema_without_them_is_written_as_ever():
    text = '{"columns": [{"name": "c", "kind": "numerical"}], "rules": ["c >= 0", "c < 9.5"]}'
    schema = Schema.from_json(text)
    assert schema.rules == ("c >= 0", "c < 9.5")
    assert Schema.from_json(schema.to_json()) == schema
    assert schema.declare().rules == schema.rules
    assert "rules" not in Schema.from_json(json.dumps(one())).to_json()


def test_rules_survive_completion_by_the_rows():
    from understudy.table.infer import complete

    schema = Schema.from_json('{"columns": [{"name": "c", "kind": "numerical"}], "rules": ["c >= 0"]}')
    assert complete(schema, read(pa.table({"c": [1.5, 2.5]}))).rules == ("c >= 0",)


def test_rules_may_speak_of_levels_times_and_truth_values():
    columns = [
        {"name": "grade", "kind": "ordinal", "levels": {"values": ["low", "high"]}},
        {"name": "member", "kind": "boolean"},
        {"name": "start", "kind": "date"},
        {"name": "end", "kind": "date"},
    ]
    rules = [
        "grade >= 'low'",
        "member == true implies start is not missing",
        "start <= end",
        "start > '1999-12-31'",
    ]
    assert len(Schema.model_validate({"columns": columns, "rules": rules}).rules) == 4


CORRECTED = [
    ("age", "categorical"),
    ("age", "ignore"),
    ("code", "numerical"),
    ("code", "categorical"),
    ("sex", "ignore"),
    ("sex", "id"),
    ("day", "ignore"),
    ("day", "categorical"),
]


@pytest.mark.parametrize(("name", "kind"), CORRECTED, ids=" ".join)
def test_in_a_written_schema_it_is_enough_to_change_a_kind(name, kind):
    rows = range(40)
    table = pa.table(
        {
            "age": [20 + row * 7 % 31 for row in rows],
            "code": list(rows),
            "sex": ["F", "M"] * 20,
            "day": pa.array([18_000 + row % 9 for row in rows], pa.int32()).cast(pa.date32()),
        }
    )
    tree = json.loads(Schema.infer(table).to_json())
    next(column for column in tree["columns"] if column["name"] == name)["kind"] = kind
    full = complete(Schema.from_json(json.dumps(tree)), read(table))
    assert full.column(name).kind == kind
    assert len(full.columns) == 4


def test_declared_parts_that_do_not_fit_a_kind_are_named_all_at_once():
    tree = kind("categorical", resolution=1, bounds={"low": 0, "high": 9})
    with pytest.raises(SchemaError, match="takes no resolution and no bounds; delete them"):
        Schema.from_json(json.dumps(tree))
