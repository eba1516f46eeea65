"""A recipe: what it refuses before it looks, what it writes down when it does."""

import copy
import dataclasses
import typing

import pyarrow as pa
import pytest

import understudy as us
from testing.planted import Planted
from understudy.errors import (
    BudgetError,
    FrameError,
    ParameterError,
    ReadError,
    SchemaError,
    TooFewRows,
)
from understudy.model.recipe import Recipe
from understudy.synth.half import Half
from understudy.synth.histogram import Histogram
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema

TABLE = pa.table({"age": [31, 42, 64, 20] * 10, "sex": ["F", "M", "F", "M"] * 10})


def fit(recipe, table=TABLE, **given):
    return recipe.fit(table, progress=False, **given)


def declared():
    return Schema(
        columns=(
            Column(
                name="age", kind="numerical", type="int64", resolution=1.0, bounds=Bounds(low=0, high=120),
                missing=Missing(rate=0.0),
            ),
            Column(
                name="sex", kind="categorical", type="string", levels=Levels(values=("F", "M")),
                missing=Missing(rate=0.0),
            ),
        )
    )  # fmt: skip


def phases(model):
    return [entry.phase for entry in model.certificate.entries]


def test_a_recipe_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Histogram().knots = 3


def test_a_setting_that_a_recipe_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(ParameterError, match=r"there is no setting 'foo'; settings: .*knots"):
        Histogram(foo=1)


def test_a_recipe_can_be_copied():
    recipe = Histogram(knots=7)
    assert [copy.copy(recipe), copy.deepcopy(recipe), dataclasses.replace(recipe)] == [recipe] * 3


def test_a_recipe_cannot_be_made_without_learn():
    with pytest.raises(TypeError, match="abstract"):
        Recipe()


def test_the_name_of_a_recipe_is_that_of_its_file():
    assert Histogram.name() == "histogram"
    assert Histogram.summary() == (
        "Every column from its own distribution, independently (HISTOGRAM): the floor to beat."
    )
    assert Histogram(knots=7).settings() == {"knots": 7}


def test_looking_at_the_rows_for_the_domain_is_an_entry():
    model = fit(Histogram())
    assert phases(model) == ["schema", "train"]
    assert model.certificate.entries[0].columns == ("age", "sex")
    assert not model.certificate.sound


def test_a_declared_domain_is_no_entry_but_an_assumption():
    model = fit(Histogram(), schema=declared())
    assert phases(model) == ["train"]
    assert "2 columns are public knowledge" in model.certificate.assumptions[1]


@pytest.mark.parametrize("part", ["resolution", "bounds", "missing"])
def test_whatever_a_schema_leaves_open_is_looked_up_and_written_down(part):
    schema = declared()
    open_ = schema.column("age").model_copy(update={part: None})
    model = fit(Histogram(), schema=Schema(columns=(open_, schema.column("sex"))))
    assert phases(model) == ["schema", "train"]
    assert model.certificate.entries[0].columns == ("age",)


def test_the_shape_of_ids_is_looked_up_and_written_down():
    table = TABLE.append_column("key", pa.array([f"K-{n:04d}" for n in range(40)]))
    key = Column(name="key", kind="id", type="string", missing=Missing(rate=0.0))
    model = fit(Histogram(), table, schema=Schema(columns=(*declared().columns, key)))
    assert [entry.columns for entry in model.certificate.entries[:1]] == [("key",)]
    shaped = key.model_copy(update={"template": "K-9999"})
    model = fit(Histogram(), table, schema=Schema(columns=(*declared().columns, shaped)))
    assert phases(model) == ["train"]


def test_free_text_is_refused_with_advice():
    rows = [f"a long remark about case number {n} in words" for n in range(40)]
    with pytest.raises(SchemaError, match=r"make its kind id .* categorical .* or ignore"):
        fit(Histogram(), TABLE.append_column("remark", pa.array(rows)))


@pytest.mark.parametrize("schema", ["people.json", {"columns": []}, 3], ids=repr)
def test_a_schema_of_another_type_is_refused(schema):
    with pytest.raises(ParameterError, match="schema must be a us"):
        fit(Histogram(), schema=schema)


def test_a_schema_of_another_table_is_refused():
    with pytest.raises(SchemaError, match="lacks column 'sex'"):
        fit(Histogram(), TABLE.select(["age"]), schema=declared())
    with pytest.raises(SchemaError, match="does not name 1 of its columns"):
        fit(Histogram(), TABLE.append_column("more", TABLE.column("age")), schema=declared())


def test_rows_outside_a_declared_domain_are_refused_without_their_values():
    narrow = declared().column("age").model_copy(update={"bounds": Bounds(low=0, high=50)})
    with pytest.raises(SchemaError, match="10 rows lie outside") as caught:
        fit(Histogram(), schema=Schema(columns=(narrow, declared().column("sex"))))
    assert "64" not in str(caught.value)


@pytest.mark.parametrize("table", [TABLE.slice(0, 0), TABLE.slice(0, 1)], ids=["none", "one"])
def test_too_few_rows_are_refused_with_the_number_needed(table):
    with pytest.raises(TooFewRows, match="half: needs at least 2 rows"):
        fit(Half(), table)


def test_one_row_is_one_row_in_words():
    with pytest.raises(TooFewRows, match=r"histogram: needs at least 1 row; got 0\."):
        fit(Histogram(), TABLE.slice(0, 0))


def test_a_budget_is_refused_by_a_recipe_without_a_private_form():
    with pytest.raises(BudgetError, match="half: this recipe has no private form"):
        fit(Half(), budget=us.Budget(epsilon=1.0))


def test_the_budget_is_refused_before_the_table_is_read():
    with pytest.raises(BudgetError):
        fit(Half(), "no such file.csv", budget=us.Budget(epsilon=1.0))


@pytest.mark.parametrize(
    ("table", "error"),
    [("no such file.csv", ReadError), ([1, 2], FrameError), (None, FrameError), (3, FrameError)],
)
def test_what_is_no_table_is_refused(table, error):
    with pytest.raises(error):
        fit(Histogram(), table)


def test_a_seed_decides_the_fit_and_recipes_do_not_share_streams():
    one, two, three = (fit(Half(), seed=seed).sample(20).column("age") for seed in (1, 1, 2))
    assert one.equals(two)
    assert not one.equals(three)


def test_progress_is_silent_where_nobody_watches(capsys):
    Planted().fit(TABLE, progress=True)
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""


class Keeping(Recipe):
    """A recipe that only notes where its work would be kept."""

    resumable = True
    private = True
    seen: typing.ClassVar[list] = []

    def learn(self, vault, schema, rng, progress):
        self.seen.append(progress.keep)
        return Histogram().learn(vault, schema, rng, progress)

    def asks(self, schema):
        return Histogram().asks(schema)

    def learn_privately(self, vault, schema, events, rng, progress):
        self.seen.append(progress.keep)
        return Histogram().learn_privately(vault, schema, events, rng, progress)

    def settings(self):
        return {}

    def __post_init__(self):
        """Declare nothing."""


def test_a_recipe_that_keeps_work_is_told_the_folder_with_or_without_a_budget(tmp_path):
    Keeping.seen.clear()
    fit(Keeping())
    fit(Keeping(), run=tmp_path / "open")
    fit(Keeping(), run=str(tmp_path / "private"), budget=us.Budget(epsilon=1.0))
    assert Keeping.seen == [None, tmp_path / "open" / "training", tmp_path / "private" / "training"]
    assert not (tmp_path / "open").exists()  # only who keeps something makes the folder


def test_a_recipe_that_keeps_nothing_refuses_a_folder_without_a_budget(tmp_path):
    with pytest.raises(ParameterError, match=r"run folder.*budget"):
        fit(Histogram(), run=tmp_path)


def test_a_recipe_is_small_as_it_is_unless_it_says_otherwise():
    assert Half.small() == Half()
