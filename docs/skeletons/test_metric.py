"""Copy to tests/metrics/test_<name>.py. Show the metric a good table, a bad table, and chance."""

from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing import check_measure

# The test of NAME.py is test_NAME.py, so the copy finds its metric whatever both are called.
module = import_module(f"understudy.metrics.{Path(__file__).stem.removeprefix('test_')}")
MyMetric = getattr(module, module.__all__[0])

FULL = pa.table({"age": [float(age) for age in range(100)]})
HALF = pa.table({"age": [None, 1.5] * 50})


def judge(synthetic, seed=0, **settings):
    return MyMetric(**settings)(Evidence(train=FULL, synthetic=synthetic), seed=seed)


def test_a_table_with_the_same_missing_rates_is_perfect():
    assert judge(FULL).value == judge(FULL).null == 0


def test_a_table_with_half_of_its_cells_missing_is_half_away():
    result = judge(HALF)
    assert result.value == pytest.approx(0.5)
    assert result.low <= 0.5 <= result.high
    assert result.better == "lower"
    assert judge(HALF, power=2.0).value == pytest.approx(0.25)


def test_the_same_seed_gives_the_same_interval():
    assert (judge(HALF, 1).low, judge(HALF, 1).high) == (judge(HALF, 1).low, judge(HALF, 1).high)


def test_a_setting_outside_its_range_is_refused():
    with pytest.raises(ParameterError, match=r"power must be a number from 1 to 8"):
        MyMetric(power=0.5)


def test_it_keeps_the_contract_of_every_measure():
    check_measure(MyMetric(halves=4, nulls=1))
