"""The folder is the registry; a model finds its recipe there, or is told."""

import subprocess
import sys

import pyarrow as pa
import pytest

import understudy as us
from testing.planted import Planted
from understudy import synth
from understudy.errors import CorruptModel, MissingExtra, ParameterError, TooLarge
from understudy.model.recipe import Recipe
from understudy.synth import gaussian_copula
from understudy.synth.histogram import Histogram

TABLE = pa.table({"age": [31, 42, 64, 20] * 10, "sex": ["F", "M", "F", "M"] * 10})


def test_the_first_four_are_there():
    assert {"copy", "gaussian_copula", "half", "histogram"} <= set(synth.names())
    assert synth.names() == sorted(synth.names())


@pytest.mark.parametrize("name", synth.names())
def test_every_file_defines_one_final_recipe_by_its_own_name(name):
    recipe = synth.get(name)
    assert issubclass(recipe, Recipe)
    assert recipe.name() == name
    assert getattr(recipe, "__final__", False)
    assert getattr(synth, name).__name__ == f"understudy.synth.{name}"
    assert recipe.summary()


@pytest.mark.parametrize("name", ["nobody", "", "Copy", "../copy", "__init__", "copy.Copy"])
def test_an_unknown_name_is_answered_with_those_that_exist(name):
    with pytest.raises(ParameterError, match=r"choose from .*histogram"):
        synth.get(name)


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nobody"):
        synth.nobody  # noqa: B018


@pytest.mark.parametrize(
    ("rows", "columns", "name"),
    [
        (1_000, 10, "gaussian_copula"),
        (19, 10, "histogram"),
        (1_000, 1, "histogram"),
        (1_000, 0, "histogram"),
        (1_000, 1_001, "histogram"),
    ],
)
def test_the_default_depends_on_the_table_and_comes_with_a_reason(rows, columns, name):
    chosen, reason = synth.choose(rows, columns, None)
    assert chosen == name
    assert reason


@pytest.mark.parametrize(
    ("columns", "of_levels", "name"),
    [
        (2, 0, "aim"),
        (9, 5, "aim"),
        (100, 4, "bayesian_network"),
        (1, 1, "histogram"),
        (500, 9, "histogram"),
    ],
)
def test_the_private_default_has_a_private_form_and_does_not_depend_on_the_rows(columns, of_levels, name):
    budget = us.Budget(epsilon=1.0)
    chosen = [synth.choose(rows, columns, budget, of_levels) for rows in (1, 10**6)]
    assert chosen[0] == chosen[1]
    assert chosen[0][0] == name and synth.get(name).private


def test_listing_names_loads_no_synthesizer_and_nothing_slow():
    code = "import sys, understudy as us; us.synth.names(); print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"torch", "sklearn", "pandas", "numpy", "understudy.synth.copy"} & set(loaded)


def test_a_recipe_from_elsewhere_is_loaded_by_its_class_and_not_by_its_name(tmp_path):
    folder = Planted().fit(TABLE, progress=False).save(tmp_path / "model")
    with pytest.raises(CorruptModel, match="give its class as recipe="):
        us.load(folder)
    again = us.load(folder, recipe=Planted)
    assert again.sample(5).equals(us.load(folder, recipe=Planted).sample(5))


def test_a_model_of_another_recipe_is_refused(tmp_path):
    folder = Histogram().fit(TABLE, progress=False).save(tmp_path / "model")
    with pytest.raises(CorruptModel, match="fitted by 'histogram', not by 'planted'"):
        us.load(folder, recipe=Planted)


def test_a_table_with_too_many_pairs_is_refused_before_memory_runs_out(monkeypatch):
    monkeypatch.setattr(gaussian_copula, "MOST_LATENTS", 3)
    holes = TABLE.append_column("x", pa.array([1.5, None] * 20))
    gaussian_copula.GaussianCopula().fit(TABLE, progress=False)
    with pytest.raises(TooLarge, match="at most 3 columns, one with missing values counted twice; got 4"):
        gaussian_copula.GaussianCopula().fit(holes, progress=False)


def test_an_extra_that_a_model_needs_is_named_and_not_taken_for_damage(tmp_path, monkeypatch):
    Histogram().fit(TABLE, progress=False).save(tmp_path / "m")

    def absent(*given):
        raise MissingExtra(f"load: {len(given)} parts need more; run: pip install something")

    monkeypatch.setattr(Histogram.sampler, "restore", absent)
    with pytest.raises(MissingExtra, match="pip install"):
        synth.load(tmp_path / "m")


def test_one_row_and_one_column_are_said_in_the_singular():
    assert synth.choose(1, 3, None)[1].startswith("1 row and 3 columns to learn")
    assert synth.choose(30, 1, None)[1].startswith("30 rows and 1 column to learn")
