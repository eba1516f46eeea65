"""Every measure keeps the contract: the same checks that other people run on their own."""

import dataclasses

import pytest

from understudy import metrics
from understudy.testing import measure_checks
from understudy.testing.sameness import CHANGES, as_it_is, told_otherwise

# Settings that make a measure quick; what it says must hold with any.
SMALL = {"halves": 4, "nulls": 1, "rows": 500, "draws": 20}
QUICK = {"all_columns": {"rounds": 8, "folds": 1}, "mla": {"trials": 1}}


def small(name):
    """The measure with the smallest settings that its verdicts survive."""
    cls = metrics.get(name)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    wanted = {**SMALL, **QUICK.get(name, {})}
    return cls(**{key: value for key, value in wanted.items() if key in fields})


@pytest.mark.parametrize("check", measure_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_keeps_the_contract(name, check):
    check(small(name))


@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_of_ours_says_the_same_of_the_same_tables_told_otherwise(name):
    # The contract grants others the width of their interval; ours need none, whatever they draw.
    measure = small(name)
    plain = told_otherwise(measure, as_it_is)
    for change in CHANGES:
        assert told_otherwise(measure, change).value == pytest.approx(plain.value, abs=1e-6, nan_ok=True)
