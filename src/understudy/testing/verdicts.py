"""Checks: a copy, a fresh sample, a shifted table and a constant one get the verdicts they deserve."""

from __future__ import annotations

from understudy.measuring.measure import Measure
from understudy.measuring.verdict import verdict
from understudy.result import Result
from understudy.testing.judging import MeasureCheck, of_verdict

__all__ = ["CHECKS", "loss"]


def loss(result: Result) -> float:
    """Return how bad a result is: what is to be low, the negative of what is to be high, or off its null."""
    if result.better == "null":
        return abs(result.value - result.null)
    return result.value if result.better == "lower" else -result.value


def a_copy_is_as_good_as_a_fresh_sample(measure: Measure) -> None:
    """No measure of likeness finds a copy less alike; one whose target is the null may well."""
    copy, fresh = of_verdict(measure, "copy"), of_verdict(measure, "fresh")
    if measure.better == "null":
        return
    assert loss(copy) <= loss(fresh) + _reach(copy) + _reach(fresh), (
        f"a copy scores {copy.value:.4g} and a fresh sample {fresh.value:.4g}; {measure.better} is better"
    )


def a_fresh_sample_is_compatible_with_the_null(measure: Measure) -> None:
    """A fresh sample of the law is worth as much as real rows: far nearer to the null than a shifted one."""
    fresh, shifted = of_verdict(measure, "fresh"), of_verdict(measure, "shifted")
    beyond = abs(fresh.value - fresh.null)
    near = beyond <= 2 * _reach(fresh) or beyond <= abs(shifted.value - shifted.null) / 5
    assert near, (
        f"a fresh sample scores {fresh.value:.4g} ({fresh.low:.4g} to {fresh.high:.4g}) and its null is "
        f"{fresh.null:.4g}; a shifted table scores {shifted.value:.4g}"
    )


def a_shifted_table_is_clearly_worse_than_real_rows(measure: Measure) -> None:
    """Other values, other levels, other holes and another association are seen beyond the interval."""
    _assert_clearly_worse(measure, "shifted")


def a_constant_table_is_clearly_worse_than_real_rows(measure: Measure) -> None:
    """One strange row over and over is seen beyond the interval."""
    _assert_clearly_worse(measure, "constant")


def _assert_clearly_worse(measure: Measure, name: str) -> None:
    bad, fresh = of_verdict(measure, name), of_verdict(measure, "fresh")
    assert loss(bad) > loss(fresh), (
        f"a {name} table scores {bad.value:.4g} and a fresh one {fresh.value:.4g}; {measure.better} is better"
    )
    assert verdict(bad) in {"worse", "unlike"}, (
        f"a {name} table scores {bad.value:.4g} ({bad.low:.4g} to {bad.high:.4g}) and real rows "
        f"{bad.null:.4g}; {measure.better} is better, and the interval does not tell them apart"
    )


def _reach(result: Result) -> float:
    return result.high - result.low


CHECKS: tuple[MeasureCheck, ...] = (
    a_copy_is_as_good_as_a_fresh_sample,
    a_fresh_sample_is_compatible_with_the_null,
    a_shifted_table_is_clearly_worse_than_real_rows,
    a_constant_table_is_clearly_worse_than_real_rows,
)
