"""Checks: missing values are modelled, not dropped and not invented."""

from __future__ import annotations

import math

from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check, fit, in_arrow
from understudy.testing.tables import half_missing

__all__ = ["CHECKS"]

_ALARM = 1e-6  # chance that a correct recipe fails, all columns together


def missing_rates_are_kept(recipe: Recipe) -> None:
    """Every kind of column is missing about as often as in the real table.

    The tolerance is Hoeffding's: a recipe may learn from half of the rows and then draws at random,
    and each of the two steps may go wrong for one column with a chance of 1e-6 / (2 columns).
    """
    real = half_missing()
    rows = 2 * real.num_rows
    fake = in_arrow(fit(recipe, real).sample(rows, seed=21))
    alarm = _ALARM / (2 * real.num_columns)
    tolerance = _hoeffding(real.num_rows // 2, alarm) + _hoeffding(rows, alarm)
    for name in real.schema.names:
        wanted, found = (table.column(name).null_count / table.num_rows for table in (real, fake))
        assert abs(wanted - found) <= tolerance, (
            f"column {name!r}: missing in {found:.0%} of the rows; {wanted:.0%} of the real ones"
        )


def columns_without_missing_values_stay_without(recipe: Recipe) -> None:
    """A column that is always there is always there in the sample."""
    real = half_missing().drop_null()
    fake = in_arrow(fit(recipe, real).sample(300, seed=22))
    holes = [name for name in real.schema.names if fake.column(name).null_count]
    assert not holes, f"column {holes[0]!r} is never missing, and rows without it came back"


def _hoeffding(rows: int, alarm: float) -> float:
    """Return how far the mean of so many rows may stray, with a chance of `alarm` to stray further."""
    return math.sqrt(math.log(2 / alarm) / (2 * rows))


CHECKS: tuple[Check, ...] = (
    missing_rates_are_kept,
    columns_without_missing_values_stay_without,
)
