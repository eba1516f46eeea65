"""Checks: every row of a sample satisfies the conditions it was asked for."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from typing import Any

from understudy.errors import NothingMatches, WhereError
from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check, fit_people, in_arrow, refused

__all__ = ["CHECKS"]

_ROWS = 30
_LONGEST = 60.0  # seconds until a sample that cannot be drawn must have been given up
_SCHOOLS = ("bachelor", "master", "doctorate")

Test = Callable[[Any], bool]


def conditions_on_levels_hold(recipe: Recipe) -> None:
    """One level, a list of levels, a range of ordered levels, a truth value."""
    _hold(recipe, {"sex": "female"}, {"sex": lambda v: v == "female"})
    _hold(recipe, {"sector": ["office", "trade"]}, {"sector": lambda v: v in {"office", "trade"}})
    _hold(recipe, {"education": ("bachelor", None)}, {"education": lambda v: v in _SCHOOLS})
    _hold(
        recipe,
        {"education": ("secondary", "bachelor")},
        {"education": lambda v: v in {"secondary", "bachelor"}},
    )
    _hold(recipe, {"member": True}, {"member": lambda v: v is True})
    _hold(recipe, {"member": [False, None]}, {"member": lambda v: v is not True})


def conditions_on_numbers_hold(recipe: Recipe) -> None:
    """A range, an open range, one value; whole, decimal and broken numbers."""
    _hold(recipe, {"age": (30, 40)}, {"age": lambda v: 30 <= v <= 40})
    _hold(recipe, {"age": (None, 45.5)}, {"age": lambda v: v <= 45.5})
    _hold(recipe, {"age": (30.5, None)}, {"age": lambda v: v >= 30.5})
    _hold(
        recipe,
        {"income": (15_000.005, 40_000)},
        {"income": lambda v: v is not None and 15_000.005 <= v <= 40_000},
    )
    _hold(recipe, {"height_cm": (165.0, 180.0)}, {"height_cm": lambda v: 165 <= v <= 180})
    common = _common(recipe, "age")
    _hold(recipe, {"age": common}, {"age": lambda v: v == common})


def conditions_on_times_hold(recipe: Recipe) -> None:
    """Dates, moments, times of day and lengths of time, as objects or as ISO text."""
    day, noon = dt.date(1980, 1, 1), dt.time(7, 30)
    moment = dt.datetime(2015, 1, 1, tzinfo=dt.UTC)
    _hold(recipe, {"birthday": (day, None)}, {"birthday": lambda v: v >= day})
    _hold(recipe, {"birthday": (None, "1990-06-30")}, {"birthday": lambda v: v <= dt.date(1990, 6, 30)})
    _hold(recipe, {"joined": (moment, None)}, {"joined": lambda v: v >= moment})
    _hold(recipe, {"joined": (None, "2018-01-01T00:00:00+00:00")}, {"joined": lambda v: v.year < 2018})
    _hold(recipe, {"starts_at": (noon, None)}, {"starts_at": lambda v: v >= noon})
    hours = dt.timedelta(hours=5)
    _hold(recipe, {"waited": (hours, None)}, {"waited": lambda v: v is not None and v >= hours})


def conditions_on_missing_values_hold(recipe: Recipe) -> None:
    """None asks for rows in which the column is missing; a range never gives such a row."""
    _hold(recipe, {"waited": None}, {"waited": lambda v: v is None})
    _hold(recipe, {"waited": (None, None)}, {"waited": lambda v: v is not None})
    _hold(recipe, {"fax": None, "country": "Utopia"}, {"fax": lambda v: v is None})


def conditions_hold_together(recipe: Recipe) -> None:
    """Two and three conditions hold in the same row."""
    female, grown = (lambda v: v == "female"), (lambda v: 30 <= v <= 60)
    _hold(recipe, {"sex": "female", "age": (30, 60)}, {"sex": female, "age": grown})
    _hold(
        recipe,
        {"sex": "female", "age": (30, 60), "waited": None},
        {"sex": female, "age": grown, "waited": lambda v: v is None},
    )


def a_condition_that_cannot_be_met_ends_in_an_error(recipe: Recipe) -> None:
    """NothingMatches comes, and it comes soon; an endless loop is no answer."""
    model = fit_people(recipe)
    for where in ({"age": (500, 600)}, {"age": None}, {"country": None}):
        began = time.monotonic()
        refused(lambda where=where: model.sample(_ROWS, where=where), NothingMatches, f"where={where!r}")  # type: ignore[misc]
        took = time.monotonic() - began
        assert took < _LONGEST, f"where={where!r}: it took {took:.0f} s to say that nothing matches"


def unknown_columns_and_levels_are_refused(recipe: Recipe) -> None:
    """A wrong name, a wrong level, an empty range, a value of the wrong kind: WhereError."""
    model = fit_people(recipe)
    wrong: list[Any] = [
        {"no such column": 1}, {"sex": "no such level"}, {"sex": ["female", "no such level"]}, {"sex": []},
        {"age": (40, 30)}, {"age": "many"}, {"age": (1, 2, 3)}, {"birthday": "yesterday"},
        {"sex": ("a", "b")}, {"person_id": "P0000001"}, {"member": "perhaps"}, {"age": float("nan")},
        ["sex"], "sex",
    ]  # fmt: skip
    for where in wrong:
        refused(lambda where=where: model.sample(3, where=where), WhereError, f"where={where!r}")  # type: ignore[misc]


def a_condition_leaves_the_other_columns_alone(recipe: Recipe) -> None:
    """Under a condition there are as many columns and rows as without one, and the others still vary."""
    model = fit_people(recipe)
    free, bound = in_arrow(model.sample(_ROWS)), in_arrow(model.sample(_ROWS, where={"sex": "female"}))
    assert bound.schema == free.schema, "a condition changed the columns"
    assert bound.num_rows == _ROWS, f"{_ROWS} rows were asked for and {bound.num_rows} came back"
    assert len(set(bound.column("height_cm").to_pylist())) > 5, "under a condition, all rows are the same"


def _hold(recipe: Recipe, where: Mapping[str, Any], tests: Mapping[str, Test]) -> None:
    fake = in_arrow(fit_people(recipe).sample(_ROWS, seed=71, where=where))
    assert fake.num_rows == _ROWS, (
        f"where={where!r}: {_ROWS} rows were asked for and {fake.num_rows} came back"
    )
    for name, test in tests.items():
        wrong = sum(not _holds(test, value) for value in fake.column(name).to_pylist())
        assert not wrong, f"where={where!r}: {wrong} of {_ROWS} rows break the condition on {name!r}"


def _holds(test: Test, value: Any) -> bool:
    try:
        return test(value)
    except TypeError:  # a missing value cannot be compared, and breaks every condition but `None`
        return False


def _common(recipe: Recipe, name: str) -> Any:
    values = in_arrow(fit_people(recipe).sample(300, seed=72)).column(name).to_pylist()
    return max(set(values), key=values.count)


CHECKS: tuple[Check, ...] = (
    conditions_on_levels_hold,
    conditions_on_numbers_hold,
    conditions_on_times_hold,
    conditions_on_missing_values_hold,
    conditions_hold_together,
    a_condition_that_cannot_be_met_ends_in_an_error,
    unknown_columns_and_levels_are_refused,
    a_condition_leaves_the_other_columns_alone,
)
