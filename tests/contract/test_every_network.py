"""Every network learns a small table: its joint law, conditions, gaps, budgets; and it needs torch late."""

import subprocess
import sys
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp

from contract.quick_networks import COUNTS, GAPS, NETWORKS, declared, fitted, halves
from understudy import synth
from understudy.privacy import Budget
from understudy.privacy.events import SampledGaussian

NAMES = [name for name in synth.names() if synth.get(name).resumable]


def second(drawn):
    return np.array(drawn["word"]) == "b"


def test_every_network_has_a_quick_recipe():
    assert {type(network.recipe) for network in NETWORKS.values()} == {synth.get(name) for name in NAMES}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_joint_distribution_is_learned(name):
    network, drawn = NETWORKS[name], fitted(name).sample(2_000, seed=1)
    half, spent = second(drawn), drawn["spent"].to_numpy()
    assert half.mean() == pytest.approx(second(halves()).mean(), abs=network.share)
    assert np.mean((np.array(drawn["number"]) > 3) == half) > network.number
    assert np.mean((np.array(drawn["count"]) > 5) == half) > network.count
    assert np.nanmedian(spent[half]) > 2 * np.nanmedian(spent[~half])
    assert np.isnan(spent).mean() == pytest.approx(GAPS, abs=network.gaps)
    assert set(drawn["count"].to_pylist()) <= COUNTS, "a number of few values keeps to them"


@pytest.mark.parametrize("name", NETWORKS)
def test_conditions_on_any_column_hold_and_the_rest_fits_them(name):
    network, model = NETWORKS[name], fitted(name)
    drawn = model.sample(300, seed=2, where={"word": "b"})
    assert set(drawn["word"].to_pylist()) == {"b"}
    assert np.mean(np.array(drawn["number"]) > 3) > min(network.number, network.given)
    assert np.mean(np.array(drawn["count"]) > 5) > network.given
    drawn = model.sample(200, seed=3, where={"count": 8})
    assert set(drawn["count"].to_pylist()) == {8}
    assert second(drawn).mean() > network.given
    drawn = model.sample(200, seed=4, where={"number": (5.0, 7.0)})
    assert min(drawn["number"].to_pylist()) >= 5.0
    assert second(drawn).mean() > network.given


@pytest.mark.parametrize("name", NETWORKS)
def test_gaps_are_filled_by_what_fits(name):
    real = halves().slice(0, 300)
    filled = fitted(name).impute(real.set_column(0, "word", pa.nulls(300, pa.string())), seed=0)
    assert filled["number"].equals(real["number"]) and filled["count"].equals(real["count"])
    assert np.mean(second(filled) == second(real)) > NETWORKS[name].filled


@cache
def spiked(name):
    """Return rows with a number that is 0 in half of them and missing where another one is high; a model."""
    rng = np.random.default_rng(5)
    first = rng.normal(size=800)
    second = np.where(rng.random(800) < 0.5, 0.0, 5 + first + rng.normal(size=800))
    gone = rng.random(800) < 1 / (1 + np.exp(-3 * first))
    table = pa.table({"first": first, "second": pa.array(second, mask=gone)})
    return table, second, gone, type(NETWORKS[name].recipe).small().fit(table, seed=0, progress=False)


@pytest.mark.parametrize("name", [name for name in NETWORKS if not name.startswith("tabsyn")])
def test_a_value_that_many_rows_share_keeps_its_share_in_filled_cells(name):
    """But by the latents of a network as small as this `tabsyn`, which fills all cells alike."""
    table, second, gone, model = spiked(name)
    filled = model.impute(table.set_column(1, "second", pa.nulls(800, pa.float64())), seed=0)[
        "second"
    ].to_numpy()
    assert (filled == 0).mean() == pytest.approx((second[~gone] == 0).mean(), abs=0.15)
    assert (np.abs(filled[filled != 0]) > 0.01).mean() > 0.97, "beside such a value lies nothing"


@pytest.mark.parametrize("name", NETWORKS)
def test_what_is_there_of_a_column_with_gaps_keeps_its_law(name):
    """Whether a network is good or bad, and though gaps stand where the other number is high: a spike too."""
    _, second, gone, model = spiked(name)
    drawn = model.sample(2_000, seed=0)["second"]
    there, real = drawn.drop_null().to_numpy(), second[~gone]
    assert ks_2samp(there, real).statistic < 0.05
    assert (there == 0).mean() == pytest.approx((real == 0).mean(), abs=0.03)
    assert drawn.null_count / 2_000 == pytest.approx(gone.mean(), abs=0.05)


@pytest.mark.parametrize("name", [name for name, each in NETWORKS.items() if each.recipe.private])
def test_a_budget_gives_a_sound_certificate_that_spends_it(name):
    network, table = NETWORKS[name], halves(300)
    budget = Budget(epsilon=3.0, delta=1e-6)
    model = network.private.fit(table, declared(table), budget=budget, progress=False)
    certificate = model.certificate
    assert certificate.sound and certificate.status == "sound"
    assert 2.9 < certificate.epsilon(1e-6) <= 3.0
    trained = {entry.name: entry.event for entry in certificate.entries if entry.phase == "train"}
    assert set(trained) == {f"training.{stage}" for stage in network.stages}
    for event in trained.values():
        if network.stages == ("student",):  # who is told votes, each of them counted
            assert event.count == network.private.noisy_steps * network.private.batch
        else:
            assert isinstance(event, SampledGaussian) and event.steps == network.private.noisy_steps
    drawn = model.sample(60, seed=0, where={"word": "a"})
    assert drawn.num_rows == 60 and set(drawn["word"].to_pylist()) == {"a"}


def test_small_networks_are_small():
    for name in NAMES:
        assert synth.get(name).small().steps < 100 < synth.get(name).paper().steps


def test_recipes_are_known_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import understudy as us; "
        f"print(*(us.synth.get(name).paper() for name in {NAMES!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("steps=") >= len(NAMES)
