"""Checks: a result is never a bare number, and comes from the evidence and the seed alone."""

from __future__ import annotations

import dataclasses
import json
import math

from understudy.check import Choice, Flag, Integer, Number, Text
from understudy.errors import ParameterError
from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.testing.fitting import refused
from understudy.testing.judging import VERDICTS, MeasureCheck, evidence, judge, of_verdict
from understudy.testing.seeds import global_states
from understudy.testing.settings import outside

__all__ = ["CHECKS", "assert_well_formed"]


def a_measure_is_a_frozen_dataclass_with_declared_ranges(measure: Measure) -> None:
    """Nothing about a measure changes after it is made, and every setting says what it accepts."""
    cls = type(measure)
    # A measure cannot thaw what it inherits, but it can forget to be a dataclass of its own.
    decorated = "__dataclass_params__" in vars(cls)
    assert decorated, f"{cls.__name__} must be decorated with @dataclass(frozen=True)"
    for field in dataclasses.fields(measure):
        declared = isinstance(field.metadata.get("rule"), Integer | Number | Choice | Flag | Text)
        assert declared, f"setting {field.name!r} has no declared range; declare it with understudy.check"
    first = (cls.__doc__ or "").strip().partition("\n")[0]
    assert first and not first.startswith(f"{cls.__name__}("), (
        f"{cls.__name__} must say in one line what it is"
    )


def settings_outside_their_ranges_are_refused(measure: Measure) -> None:
    """Values just outside each range, of the wrong type, and NaN are refused with ParameterError."""
    for field in dataclasses.fields(measure):
        for bad in outside(field.metadata["rule"]):
            refused(
                lambda name=field.name, bad=bad: dataclasses.replace(measure, **{name: bad}),  # type: ignore[misc]
                ParameterError,
                f"{field.name}={bad!r}",
            )


def every_result_has_an_interval_and_a_null(measure: Measure) -> None:
    """The interval holds the value, the null is a number, and the rest of a result is there."""
    for name in VERDICTS:
        result = of_verdict(measure, name)
        assert_well_formed(measure, result, name)
        assert math.isfinite(result.value), f"{name}: the value is {result.value}"
        assert math.isfinite(result.null), f"{name}: the null is {result.null}"
        assert math.isfinite(result.low) and math.isfinite(result.high), f"{name}: there is no interval"


def the_same_seed_gives_the_same_result(measure: Measure) -> None:
    """Judging twice with one seed gives the same numbers."""
    first, second = of_verdict(measure, "fresh"), judge(measure, evidence("fresh"))
    assert _numbers(first) == _numbers(second), "the same seed gave another result"


def the_global_random_state_is_not_touched(measure: Measure) -> None:
    """Neither numpy's, nor Python's, nor torch's global generator is read or set."""
    before = global_states()
    judge(measure, evidence("shifted"), seed=5)
    after = global_states()
    changed = [name for name, state in before.items() if after[name] != state]
    assert not changed, f"the global generator of {', '.join(changed)} was used; draw from the given rng only"


def a_seed_that_is_no_whole_number_is_refused_too(measure: Measure) -> None:
    """Negative, broken and non-numeric seeds are refused."""
    for seed in (-1, 1.5, "0", True, None):
        refused(lambda seed=seed: measure(evidence("fresh"), seed=seed), ParameterError, f"seed={seed!r}")  # type: ignore[misc]


def no_result_tells_a_cell(measure: Measure) -> None:
    """Neither notes nor parts hold a level: results are shared more freely than the table."""
    for name in VERDICTS:
        result = of_verdict(measure, name)
        told = json.dumps([*result.notes, *result.parts])
        for word in ("east", "north", "west", "south"):
            assert word not in told, f"{name}: a level of the table stands in the notes or the parts"


def assert_well_formed(measure: Measure, result: Result, what: str) -> None:
    """Assert what holds for every result, also of the oddest tables; an undefined value says why."""
    assert result.name == measure.title(), f"{what}: the result is called {result.name}"
    assert result.better == measure.better, f"{what}: the result is better {result.better}"
    assert result.seconds >= 0, f"{what}: it took {result.seconds} seconds"
    assert result.n > 0 or math.isnan(result.value), f"{what}: n is not there"
    assert math.isnan(result.low) == math.isnan(result.high), f"{what}: half of the interval is NaN"
    inside = math.isnan(result.low) or result.low <= result.value <= result.high
    assert inside, f"{what}: {result.value:.4g} is outside {result.low:.4g} to {result.high:.4g}"
    assert not math.isinf(result.value), f"{what}: the value is infinite"
    assert not math.isnan(result.value) or result.notes, f"{what}: the value is NaN, and no note says why"
    plain = all(isinstance(part, float) for part in result.parts.values())
    assert plain, f"{what}: a part is no float"
    coverage = result.parts.get("coverage", 1.0)
    assert 0 <= coverage <= 1, f"{what}: the coverage is {coverage}"
    holes = any(math.isnan(part) for part in result.parts.values())
    assert not holes or "coverage" in result.parts or math.isnan(result.value), (
        f"{what}: a part is undefined, and there is no coverage"
    )
    json.dumps(result.to_dict(), allow_nan=False)


def _numbers(result: Result) -> str:
    return repr((result.value, result.low, result.high, result.null, sorted(result.parts.items())))


CHECKS: tuple[MeasureCheck, ...] = (
    a_measure_is_a_frozen_dataclass_with_declared_ranges,
    settings_outside_their_ranges_are_refused,
    every_result_has_an_interval_and_a_null,
    the_same_seed_gives_the_same_result,
    the_global_random_state_is_not_touched,
    a_seed_that_is_no_whole_number_is_refused_too,
    no_result_tells_a_cell,
)
