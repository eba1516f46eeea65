from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from understudy.engines.training.loop import BLOCK
from understudy.errors import ParameterError
from understudy.model import audited_fit
from understudy.model.audited_fit import Fitting
from understudy.privacy import Budget
from understudy.synth.histogram import Histogram
from understudy.synth.tldm import TLDM
from understudy.synth.tvae import TVAE
from understudy.table.read import read
from understudy.table.schema import Schema

TABLE = pa.table({"c": ["x", "y"] * 10, "n": [float(k) for k in range(20)]})
SCHEMA = Schema.infer(read(TABLE)).declare()
BUDGET = Budget(epsilon=2.0, delta=1e-6)


def test_a_watched_fit_claims_what_the_same_fit_would_for_real():
    watched = Fitting(Histogram(), SCHEMA, BUDGET).fit(TABLE, 3)
    real = Histogram().fit(TABLE, schema=SCHEMA, budget=BUDGET, progress=False)
    assert watched.claim.sound and not watched.model.certificate.sound
    assert watched.claim.epsilon(1e-6) == real.certificate.epsilon(1e-6)
    assert len(watched.tape.steps) > 0


def test_the_same_seed_gives_the_same_releases():
    fitting = Fitting(Histogram(), SCHEMA, BUDGET)
    first, second, other = (fitting.fit(TABLE, seed).model.sample_table(9, seed=0) for seed in (1, 1, 2))
    assert first.to_arrow().equals(second.to_arrow())
    assert not first.to_arrow().equals(other.to_arrow())


def test_a_neighbour_breaks_nothing_and_sees_another_table():
    fitting = Fitting(Histogram(), SCHEMA, BUDGET)
    fit = fitting.fit(TABLE, 0)
    assert fitting.broken(TABLE.slice(1), fit.tape, 0) == []
    replayed = fitting.replay(TABLE.slice(1), fit.tape, 0)
    pairs = zip(fit.tape.steps, replayed.steps, strict=True)
    assert any(not np.array_equal(a.statistic, b.statistic) for a, b in pairs)


def test_two_rows_are_more_than_a_mechanism_allows_for():
    fitting = Fitting(Histogram(), SCHEMA, BUDGET)
    assert fitting.broken(TABLE.slice(9), fitting.fit(TABLE, 0).tape, 0)


def test_another_recipe_asks_something_else():
    tape = Fitting(Histogram(), SCHEMA, BUDGET).fit(TABLE, 0).tape
    assert Fitting(TLDM.small(), SCHEMA, BUDGET).broken(TABLE, tape, 0)


def test_only_a_diffusion_has_losses():
    assert Fitting(Histogram(), SCHEMA, BUDGET).fit(TABLE, 0).losses(TABLE, 0) is None
    found = Fitting(TLDM.small(), SCHEMA, BUDGET).fit(TABLE, 0).losses(TABLE, 0)
    assert found.shape == (20,) and np.isfinite(found).all()


LONG = TVAE(latent=2, width=4, depth=1, rate=1.0, noisy_steps=BLOCK + 1, device="cpu")
TWO_STAGES = replace(TLDM.small(), device="cpu")  # steps on a device are not listened to


def test_a_fit_that_is_cut_off_and_taken_up_ends_where_one_in_one_go_does():
    whole, resumed = (Fitting(LONG, SCHEMA, BUDGET, resumed=each).fit(TABLE, 5) for each in (False, True))
    drawn = [each.model.sample_table(9, seed=0).to_arrow() for each in (whole, resumed)]
    assert drawn[0].equals(drawn[1])
    assert resumed.claim.sound
    assert resumed.claim.epsilon(1e-6) == whole.claim.epsilon(1e-6)


def test_all_steps_of_a_fit_that_is_cut_off_are_heard_once():
    heard = Fitting(LONG, SCHEMA, BUDGET, resumed=True).fit(TABLE, 5, TABLE.slice(0, 1)).heard
    assert len(heard) == BLOCK + 1 and np.isfinite(heard).all()


@pytest.mark.parametrize("recipe", [Histogram(), TVAE.small()])
def test_a_fit_without_a_training_that_can_be_cut_off_is_refused(recipe):
    with pytest.raises(ParameterError, match="cut off"):
        Fitting(recipe, SCHEMA, BUDGET, resumed=True).fit(TABLE, 0)


def test_both_stages_are_listened_to_and_tables_of_counts_are_not():
    row = TABLE.slice(0, 1)
    assert len(Fitting(TWO_STAGES, SCHEMA, BUDGET).fit(TABLE, 0, row).heard) == 2 * TWO_STAGES.noisy_steps
    assert Fitting(Histogram(), SCHEMA, BUDGET).fit(TABLE, 0, row).heard == ()


def test_trainings_on_a_device_are_counted_as_unheard(monkeypatch):
    row = TABLE.slice(0, 1)
    assert Fitting(TWO_STAGES, SCHEMA, BUDGET).fit(TABLE, 0, row).unheard == 0
    monkeypatch.setattr(audited_fit, "_on_device", lambda _: True)
    found = Fitting(TWO_STAGES, SCHEMA, BUDGET).fit(TABLE, 0, row)
    assert (found.heard, found.unheard) == ((), 2)
    assert Fitting(TWO_STAGES, SCHEMA, BUDGET).fit(TABLE, 0).unheard == 0  # nobody wanted to listen
