import numpy as np
import pytest

from federated.parties import terms
from understudy.federated.strategies import Strategy, mean_of


def arrays(*values):
    return {"w": np.array(values, np.float32)}


def test_the_mean_of_equal_sites_is_their_difference():
    one = arrays(1.0, -2.0)
    assert np.array_equal(mean_of({"a": one, "b": one, "c": one}, dict.fromkeys("abc", 1.0))["w"], one["w"])


def test_the_order_of_sites_has_no_say():
    rng = np.random.default_rng(0)
    made = {name: {"w": rng.normal(size=50).astype(np.float32)} for name in "abcde"}
    weights = dict(zip("abcde", (3.0, 1.0, 4.0, 1.0, 5.0), strict=True))
    turned = {name: made[name] for name in reversed(made)}
    assert np.array_equal(mean_of(made, weights)["w"], mean_of(turned, weights)["w"])


def test_a_missing_site_leaves_its_weight_to_the_others():
    weights = {"a": 1.0, "b": 3.0, "gone": 100.0}
    assert mean_of({"a": arrays(0.0), "b": arrays(4.0)}, weights)["w"][0] == 3.0


@pytest.mark.parametrize("name", ["fedavg", "fedprox"])
def test_averages_move_by_the_mean(name):
    moved, _ = Strategy(terms(strategy=name, server_lr=0.5)).moved(arrays(1.0), arrays(4.0))
    assert moved["w"][0] == 3.0


@pytest.mark.parametrize("name", ["fedadam", "fedyogi"])
def test_adaptive_strategies_follow_reddi_et_al(name):
    agreed = terms(strategy=name, server_lr=0.1, beta1=0.9, beta2=0.99, tau=0.01)
    strategy, weights = Strategy(agreed), arrays(1.0, 2.0)
    x, m, v = np.array([1.0, 2.0]), np.zeros(2), np.full(2, 0.01**2)
    for step in ([1.0, -0.5], [0.2, 0.0], [-3.0, 0.1]):
        weights, strategy = strategy.moved(weights, arrays(*step))
        d = np.array(step)
        m = 0.9 * m + 0.1 * d
        v = 0.99 * v + 0.01 * d**2 if name == "fedadam" else v - 0.01 * d**2 * np.sign(v - d**2)
        x = x + 0.1 * m / (np.sqrt(v) + 0.01)
    assert weights["w"] == pytest.approx(x, rel=1e-4)


def test_a_strategy_is_not_changed_by_what_it_is_asked():
    strategy = Strategy(terms(strategy="fedadam"))
    first = strategy.moved(arrays(1.0), arrays(1.0))[0]
    assert np.array_equal(first["w"], strategy.moved(arrays(1.0), arrays(1.0))[0]["w"])
    assert strategy.memory == {}
