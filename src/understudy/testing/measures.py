"""The checks that every measure keeps, and the run of all of them."""

from __future__ import annotations

import importlib

from understudy.measuring.measure import Measure
from understudy.testing.judging import MeasureCheck

__all__ = ["MeasureCheck", "check_measure", "measure_checks"]

FAMILIES = ("results", "verdicts", "sameness", "odd_evidence")


def measure_checks() -> list[MeasureCheck]:
    """Return every check: a function named by a sentence that takes a measure and raises AssertionError.

    >>> "the_order_of_rows_does_not_matter" in [check.__name__ for check in measure_checks()]
    True
    """
    modules = [importlib.import_module(f"{__package__}.{family}") for family in FAMILIES]
    return [check for module in modules for check in module.CHECKS]


def check_measure(measure: Measure) -> None:
    """Run every check on the measure; one AssertionError lists all that failed."""
    wanted = measure_checks()
    failures = [line for check in wanted if (line := _failure(check, measure))]
    if failures:
        lines = "\n".join(f"- {line}" for line in failures)
        who = type(measure).__name__
        raise AssertionError(f"{who} fails {len(failures)} of {len(wanted)} checks:\n{lines}")


def _failure(check: MeasureCheck, measure: Measure) -> str:
    try:
        _run(check, measure)
    except AssertionError as error:
        return f"{check.__name__}: {error}"
    return ""


def _run(check: MeasureCheck, measure: Measure) -> None:
    """Run one check; whatever else the measure's own code raises counts as a failure of it."""
    try:
        check(measure)
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"the measure raised {type(error).__name__}") from error
