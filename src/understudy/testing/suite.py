"""The list of checks, and the run of all of them."""

from __future__ import annotations

import importlib
import importlib.util

from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check

__all__ = ["Check", "check_synthesizer", "checks"]

FAMILIES = (
    "shape",
    "settings",
    "seeds",
    "frames",
    "ids",
    "missing",
    "hostile",
    "saving",
    "conditions",
    "rules",
    "ledger",
    "private",
)

# A kind of frame can only be tried where the package that makes it is installed.
_NEEDS = {"polars_frames_keep_their_types": "polars", "duckdb_relations_keep_their_types": "duckdb"}


def checks() -> list[Check]:
    """Return every check: a function whose name is a sentence, that takes a recipe and raises AssertionError.

    >>> [check.__name__ for check in checks()][0]
    'the_schema_is_kept'
    """
    found: list[Check] = []
    for family in FAMILIES:
        module = importlib.import_module(f"{__package__}.{family}")
        found += module.CHECKS
    return [check for check in found if _can_run(check.__name__)]


def check_synthesizer(recipe: Recipe) -> None:
    """Run every check on the recipe; one AssertionError lists all that failed."""
    wanted = checks()
    failures = [line for check in wanted if (line := _failure(check, recipe))]
    if failures:
        lines = "\n".join(f"- {line}" for line in failures)
        who = type(recipe).__name__
        raise AssertionError(f"{who} fails {len(failures)} of {len(wanted)} checks:\n{lines}")


def _can_run(name: str) -> bool:
    return name not in _NEEDS or importlib.util.find_spec(_NEEDS[name]) is not None


def _failure(check: Check, recipe: Recipe) -> str:
    try:
        _run(check, recipe)
    except AssertionError as error:
        return f"{check.__name__}: {error}"
    return ""


def _run(check: Check, recipe: Recipe) -> None:
    """Run one check; whatever else the recipe's own code raises counts as a failure of it."""
    try:
        check(recipe)
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"the recipe raised {type(error).__name__}") from error
