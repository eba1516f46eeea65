"""Copy to tests/metrics/test_<name>.py. Show the metric a good table, a bad table, and chance."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.table.table import Table

# The test of NAME.py is test_NAME.py, so the copy finds its metric whatever both are called.
module = import_module(f"understudy.metrics.{Path(__file__).stem.removeprefix('test_')}")
MyMetric = getattr(module, module.__all__[0])

FULL = Table(pa.table({"age": list(range(100))}))
HALF = Table(pa.table({"age": [None, 1] * 50}))


def judge(synthetic, seed=0):
    return MyMetric(repeats=50)(SimpleNamespace(train=FULL, holdout=FULL, synthetic=synthetic), seed=seed)


def test_a_table_with_the_same_missing_rates_is_perfect():
    assert judge(FULL).value == judge(FULL).null == 0


def test_a_table_with_half_of_its_cells_missing_is_half_away():
    result = judge(HALF)
    assert result.value == pytest.approx(0.5)
    assert result.low <= 0.5 <= result.high
    assert result.better == "lower"


def test_the_same_seed_gives_the_same_interval():
    assert (judge(HALF, 1).low, judge(HALF, 1).high) == (judge(HALF, 1).low, judge(HALF, 1).high)


def test_too_few_repeats_are_refused():
    with pytest.raises(ParameterError, match="repeats must be a whole number from 20"):
        MyMetric(repeats=0)
