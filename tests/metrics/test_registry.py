"""The folder is the registry; the front door runs what is asked for, and nothing else."""

import math
import subprocess
import sys

import pytest

import understudy as us
from measuring import toys
from understudy import metrics
from understudy.errors import ParameterError
from understudy.measuring.measure import Measure


@pytest.mark.parametrize("name", metrics.names())
def test_every_file_defines_one_final_measure_that_says_what_it_does(name):
    measure = metrics.get(name)
    assert issubclass(measure, Measure)
    assert getattr(measure, "__final__", False)
    assert measure.title() == f"{measure.room}.{name}"
    assert measure.summary().endswith(".")
    assert getattr(metrics, name).__name__ == f"understudy.metrics.{name}"


@pytest.mark.parametrize("name", ["nobody", "", "Missingness", "../missingness", "__init__"])
def test_an_unknown_name_is_answered_with_those_that_exist(name):
    with pytest.raises(ParameterError, match=r"choose from .*missingness"):
        metrics.get(name)


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nobody"):
        metrics.nobody  # noqa: B018


def test_a_level_includes_those_below_it():
    quick, standard, full = (set(metrics.at(level)) for level in ("quick", "standard", "full"))
    assert "missingness" in quick
    assert quick < standard <= full == set(metrics.names())


def test_named_measures_run_sorted_and_whatever_their_level():
    results = us.metrics.run(toys.evidence(), "quick", names=["shape_trend", "missingness"], workers=0)
    assert [result.name for result in results] == ["fidelity.missingness", "fidelity.shape_trend"]
    assert not any(math.isnan(result.value) for result in results)


@pytest.mark.parametrize("names", ["missingness", [], ["missingness", "missingness"]])
def test_names_that_are_no_list_of_different_names_are_refused(names):
    with pytest.raises(ParameterError, match="a list of different names"):
        metrics.run(toys.evidence(), names=names)


def test_a_name_that_does_not_exist_is_refused_before_anything_runs():
    with pytest.raises(ParameterError, match="no measure 'nobody'"):
        metrics.run(toys.evidence(), names=["missingness", "nobody"])


@pytest.mark.parametrize("level", ["", "Quick", "all", None])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(ParameterError, match="level must be one of quick, standard, full"):
        metrics.run(toys.evidence(), level)


def test_a_forecast_names_every_measure_of_the_level():
    seconds = us.metrics.forecast(toys.evidence(), "quick")
    assert list(seconds) == metrics.at("quick")
    assert all(math.isfinite(each) and each > 0 for each in seconds.values())


def test_listing_names_loads_no_measure_and_nothing_slow():
    code = "import sys, understudy as us; us.metrics.names(); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = {"torch", "sklearn", "pandas", "numpy", "xgboost", "understudy.metrics.missingness"}
    assert not slow & set(done.stdout.split())


def test_importing_every_measure_loads_nothing_slow():
    code = "import sys, understudy as us; us.metrics.at('full'); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "sklearn", "pandas", "xgboost", "catboost", "ot"} & set(done.stdout.split())


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_measure_gives_the_same_result_in_a_worker_as_alone():
    evidence = toys.evidence(rows=400)
    together = us.metrics.run(evidence, "full", seed=3, workers=2)
    assert len(together) == len(metrics.names())
    for name, result in zip(metrics.names(), together, strict=True):
        alone = us.metrics.run(toys.evidence(rows=400), names=[name], seed=3, workers=0)[0]
        mine = {**alone.to_dict(), "seconds": 0.0}
        assert repr(mine) == repr({**result.to_dict(), "seconds": 0.0}), name
