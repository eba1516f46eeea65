"""The whole interval is compared with the null, in the measure's own direction."""

import math

import pytest

from understudy.measuring.verdict import verdict
from understudy.result import Result


@pytest.mark.parametrize(
    ("low", "high", "better", "said"),
    [
        (0.2, 0.4, "lower", "worse"),
        (0.05, 0.4, "lower", "even"),
        (0.1, 0.4, "lower", "even"),
        (0.0, 0.05, "lower", "better"),
        (0.2, 0.4, "higher", "better"),
        (0.0, 0.05, "higher", "worse"),
        (0.2, 0.4, "null", "unlike"),
        (0.0, 0.05, "null", "unlike"),
        (0.0, 0.5, "null", "even"),
        (math.nan, math.nan, "lower", "unknown"),
    ],
)
def test_a_score_stands_beside_its_null(low, high, better, said):
    result = Result("fidelity.toy", (low + high) / 2, low, high, 0.1, better, saw_real_rows=True)
    assert verdict(result) == said


@pytest.mark.parametrize(("value", "null"), [(math.nan, 0.1), (0.2, math.nan)])
def test_without_a_score_or_a_null_nothing_is_known(value, null):
    assert verdict(Result("fidelity.toy", value, 0.1, 0.3, null, "lower", saw_real_rows=True)) == "unknown"
