"""Checks: a recipe is a frozen set of settings, each with a declared range."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from understudy.check import Choice, Flag, Integer, Number, Rule, Text
from understudy.errors import ParameterError
from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check, fit_people, refused

__all__ = ["CHECKS", "outside"]


def a_recipe_is_a_frozen_dataclass_with_declared_ranges(recipe: Recipe) -> None:
    """Nothing about a recipe changes after it is made, and every setting says what it accepts."""
    cls = type(recipe)
    frozen = dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen
    assert frozen, f"{cls.__name__} must be decorated with @dataclass(frozen=True)"
    for field in dataclasses.fields(recipe):  # type: ignore[arg-type]
        declared = isinstance(field.metadata.get("rule"), Integer | Number | Choice | Flag | Text)
        assert declared, f"setting {field.name!r} has no declared range; declare it with understudy.check"
    assert cls.summary(), f"{cls.__name__} must say in one line of docstring what it does"


def settings_outside_their_ranges_are_refused(recipe: Recipe) -> None:
    """Values just outside each range, of the wrong type, and NaN are refused with ParameterError."""
    for field in dataclasses.fields(recipe):  # type: ignore[arg-type]
        for bad in outside(field.metadata["rule"]):
            change: dict[str, Any] = {field.name: bad}
            refused(
                lambda change=change: dataclasses.replace(recipe, **change),  # type: ignore[misc, type-var]
                ParameterError,
                f"{field.name}={bad!r}",
            )


def the_model_remembers_its_settings(recipe: Recipe) -> None:
    """The model carries the recipe's name and settings as plain values that JSON can hold."""
    model = fit_people(recipe)
    assert model.recipe == recipe.name(), "the model does not carry the name of its recipe"
    assert model.settings == dataclasses.asdict(recipe), (  # type: ignore[call-overload]
        "the model does not carry the settings of its recipe"
    )
    kept = json.loads(json.dumps(model.settings))
    assert kept == model.settings, "the settings do not survive JSON"


def outside(rule: Rule) -> list[object]:
    """Return values that a rule must refuse: beyond its ends, of another type, and NaN."""
    if isinstance(rule, Integer):
        return [rule.low - 1, rule.high + 1, rule.low + 0.5, str(rule.low), None, True, math.nan]
    if isinstance(rule, Number):
        ends: list[object] = [math.nextafter(rule.low, -math.inf), math.nextafter(rule.high, math.inf)]
        return [*ends, math.nan, math.inf, -math.inf, str(rule.low), None, True]
    if isinstance(rule, Choice):
        return ["no such word", "", rule.options[0] + " ", 0, None]
    if isinstance(rule, Text):
        return [0, None, True, b"text", ["text"]]
    return [0, 1, "true", None]


CHECKS: tuple[Check, ...] = (
    a_recipe_is_a_frozen_dataclass_with_declared_ranges,
    settings_outside_their_ranges_are_refused,
    the_model_remembers_its_settings,
)
