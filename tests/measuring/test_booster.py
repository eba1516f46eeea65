"""The booster is XGBoost where it is there, and another one that learns as well where it is not."""

from __future__ import annotations

from importlib import metadata

import numpy as np
import pytest

from understudy.measuring import booster as module
from understudy.measuring.booster import booster, booster_name

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(300, 2))
LABEL = (X[:, 0] > 0.5).astype(int)


@pytest.fixture(params=["xgboost", "scikit-learn"])
def kind(request, monkeypatch):
    if request.param == "xgboost":
        pytest.importorskip("xgboost")
    else:
        monkeypatch.setattr(module, "_has_xgboost", lambda: False)
    return request.param


@pytest.mark.usefixtures("kind")
def test_it_learns_classes_and_numbers():
    learned = booster(regression=False, rounds=20, seed=0).fit(X, LABEL)
    assert (learned.predict(X) == LABEL).mean() > 0.97
    numbers = booster(regression=True, rounds=60, seed=0).fit(X, 3 * X[:, 1])
    assert np.abs(numbers.predict(X) - 3 * X[:, 1]).mean() < 0.2


@pytest.mark.usefixtures("kind")
def test_numbers_are_learned_by_absolute_error_so_that_one_far_value_moves_little():
    values = np.where(np.arange(300) < 3, 1e6, 1.0)
    guess = (
        booster(regression=True, rounds=20, seed=0).fit(np.zeros((300, 1)), values).predict(np.zeros((1, 1)))
    )
    assert float(guess[0]) < 100


def test_the_notes_name_it_with_its_version(kind):
    package = "scikit-learn" if kind == "scikit-learn" else "xgboost-cpu"
    assert ("XGBoost is not installed" in booster_name()) == (kind == "scikit-learn")
    if kind == "scikit-learn" or package in {d.metadata["Name"] for d in metadata.distributions()}:
        assert metadata.version(package) in booster_name()


@pytest.mark.usefixtures("kind")
def test_the_same_seed_learns_the_same():
    one, other = (
        booster(regression=False, rounds=5, seed=3).fit(X, LABEL).predict_proba(X) for _ in range(2)
    )
    assert np.array_equal(one, other)


@pytest.mark.usefixtures("kind")
def test_the_rounds_that_are_asked_for_are_made():
    few, many = (booster(regression=False, rounds=rounds, seed=0).fit(X, LABEL) for rounds in (1, 40))
    assert few.predict_proba(X)[:, 1].std() < many.predict_proba(X)[:, 1].std()
