"""Checks: a model that was saved is the model that is loaded."""

from __future__ import annotations

import tempfile
from pathlib import Path

from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.synth import load
from understudy.testing.fitting import Check, as_bytes, fit, fit_people
from understudy.testing.tables import hostile_words

__all__ = ["CHECKS", "begins_like_a_pickle"]

_PARTS = {"model.json", "schema.json", "certificate.json", "tensors.safetensors"}


def a_saved_model_gives_the_same_rows(recipe: Recipe) -> None:
    """Samples with and without conditions, settings, schema and certificate are the same after loading."""
    model = fit_people(recipe)
    again = _there_and_back(model, recipe)
    assert as_bytes(again.sample(60, seed=51)) == as_bytes(model.sample(60, seed=51)), (
        "the loaded model gives other rows"
    )
    where = {"sex": "female"}
    assert as_bytes(again.sample(9, seed=52, where=where)) == as_bytes(
        model.sample(9, seed=52, where=where)
    ), "the loaded model gives other rows under a condition"
    assert again.certificate == model.certificate, "the loaded model has another certificate"
    assert again.schema == model.schema, "the loaded model has another schema"
    assert again.settings == model.settings, "the loaded model has other settings"


def a_saved_model_keeps_hostile_names(recipe: Recipe) -> None:
    """Names and levels that break careless code go through a file unharmed."""
    model = fit(recipe, hostile_words())
    again = _there_and_back(model, recipe)
    assert as_bytes(again.sample(20, seed=53)) == as_bytes(model.sample(20, seed=53)), (
        "the loaded model gives other rows"
    )


def a_saved_model_holds_no_code(recipe: Recipe) -> None:
    """A model folder holds three JSON files and one of tensors, and nothing that runs."""
    with tempfile.TemporaryDirectory() as place:
        folder = fit_people(recipe).save(Path(place) / "model")
        found = {path.name for path in folder.iterdir()}
        assert found == _PARTS, f"a model folder holds {sorted(_PARTS)}; found {sorted(found)}"
        pickled = [path.name for path in folder.iterdir() if begins_like_a_pickle(path)]
        assert not pickled, f"{pickled[0]} begins like a pickle"


def begins_like_a_pickle(path: Path) -> bool:
    """Return whether a file begins like a pickle, and not like tensors: with the length of JSON, and that.

    That length may begin with the same byte.
    """
    first = path.read_bytes()[:9]
    return first[:1] == b"\x80" and first[8:] != b"{"


def _there_and_back(model: Model, recipe: Recipe) -> Model:
    with tempfile.TemporaryDirectory() as place:
        return load(model.save(Path(place) / "model"), recipe=type(recipe))


CHECKS: tuple[Check, ...] = (
    a_saved_model_gives_the_same_rows,
    a_saved_model_keeps_hostile_names,
    a_saved_model_holds_no_code,
)
