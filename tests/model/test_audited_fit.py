import numpy as np
import pyarrow as pa

from understudy.model.audited_fit import Fitting
from understudy.privacy import Budget
from understudy.synth.histogram import Histogram
from understudy.synth.tldm import TLDM
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
