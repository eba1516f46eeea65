"""Paper 002's method in its three forms: the moments come back, and the certificate tells each form apart."""

import gzip
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import understudy as us
from understudy.errors import BudgetError, ParameterError, SchemaError, TooFewRows, WhereError
from understudy.privacy import allot
from understudy.privacy.certificate import statuses
from understudy.privacy.replay import recording, replaying
from understudy.synth.gaussian import Gaussian
from understudy.table.schema import Bounds, Column, Missing, Schema
from understudy.table.table import Table

ADULT = Path(__file__).parents[3] / "shared" / "datasets" / "adult.csv.gz"
SIX = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
MEAN, COVARIANCE = [1.0, -2.0], [[0.5, 0.3], [0.3, 0.8]]


def schema_of(*names, low=-6.0, high=6.0):
    return Schema(
        columns=tuple(
            Column(
                name=name,
                kind="numerical",
                type="double",
                bounds=Bounds(low=low, high=high),
                missing=Missing(rate=0.0),
            )
            for name in names
        )
    )


@pytest.fixture(scope="module")
def real():
    rows = np.random.default_rng(0).multivariate_normal(MEAN, COVARIANCE, 20_000)
    return pa.table({"a": rows[:, 0], "b": rows[:, 1]})


def moments(table):
    rows = np.column_stack([table.column(name).to_numpy() for name in table.schema.names])
    return rows.mean(axis=0), np.cov(rows.T)


def fit(recipe, table, **given):
    return recipe.fit(table, **({"progress": False, "schema": schema_of(*table.schema.names)} | given))


@pytest.mark.parametrize(
    ("recipe", "given"),
    [
        (Gaussian(), {}),
        (Gaussian(), {"budget": us.Budget(epsilon=1.0, delta=1e-6)}),
        (Gaussian(form="ridge", sigma=1e-4, at_least=20_000), {}),
        (Gaussian(form="paper", sigma=1e-4, at_least=20_000), {}),
    ],
    ids=["open", "budget", "ridge", "paper"],
)
def test_every_form_recovers_the_moments(real, recipe, given):
    mean, covariance = moments(fit(recipe, real, **given).sample(100_000, seed=1))
    # Noise of a second moment: 6.3e-4 of half the box squared, which is 0.023; 0.15 is more than six of it.
    np.testing.assert_allclose(mean, MEAN, atol=0.08)
    np.testing.assert_allclose(covariance, COVARIANCE, atol=0.15 if given else 0.05)


def test_without_a_budget_the_default_form_has_no_guarantee(real):
    assert fit(Gaussian(), real).certificate.status == "none"


def test_with_a_budget_the_certificate_is_sound_and_sampling_is_free(real):
    model = fit(Gaussian(), real, budget=us.Budget(epsilon=1.0, delta=1e-6))
    before = model.certificate
    assert before.sound and 0.98 < before.epsilon(1e-6) <= 1.0
    assert [entry.phase for entry in before.entries] == ["measure"]
    model.sample(10**5, seed=1)
    assert model.certificate == before
    assert abs(model.sampler.rows - 20_000) < 500


def test_the_noise_on_adult_is_what_the_notes_computed():
    d, rows = 6, 48_842
    wanted = Gaussian().asks(schema_of(*"abcdef"))
    multiplier = allot(wanted, us.Budget(epsilon=1.0, delta=1e-5))["moments"].noise
    spread = multiplier * math.sqrt(2 * d**2 + 1) / rows
    assert spread == pytest.approx(6.5e-4, rel=0.01)  # of each squared quantity; a pair has 1 / sqrt(2) of it
    assert spread / math.sqrt(d) == pytest.approx(2.7e-4, rel=0.02)  # of each mean


def test_what_the_sum_sees_of_two_neighbouring_tables_differs_by_at_most_its_sensitivity():
    rng = np.random.default_rng(5)
    rows = pa.table({name: rng.uniform(-50, 50, 40) for name in "abc"})
    extreme = pa.table({name: [1e300] for name in "abc"})
    for other in (rows.slice(1), pa.concat_tables([rows, extreme])):
        with recording() as first:
            fit(Gaussian(), rows, budget=us.Budget(epsilon=1.0, delta=1e-6))
        with replaying(first) as second:
            fit(Gaussian(), other, budget=us.Budget(epsilon=1.0, delta=1e-6))
        (one,), (two,) = first.steps, second.steps
        assert one.mechanism.distance(one.statistic, two.statistic) <= one.mechanism.sensitivity.value


# The two forms that protect by the draw alone


def test_the_form_of_the_paper_is_conditional_and_says_on_what(real):
    certificate = fit(Gaussian(form="paper", rows=500, at_least=20_000), real).certificate
    assert certificate.status == "conditional"
    (entry,) = certificate.entries
    assert "eigenvalue" in entry.condition and "does not depend on the table" in entry.condition
    assert "500 rows" in entry.what
    assert any("own files" in line for line in certificate.not_covered)


def test_the_ridge_is_sound_for_every_table_of_so_many_rows(real):
    certificate = fit(Gaussian(form="ridge", rows=500, at_least=20_000), real).certificate
    assert certificate.status == "sound"
    assert "20,000 rows" in certificate.entries[0].because
    assert 0 < certificate.epsilon(1e-5) < math.inf


@pytest.mark.parametrize("form", ["ridge", "paper"])
def test_bounds_that_were_looked_up_leave_no_guarantee(real, form):
    model = fit(Gaussian(form=form, at_least=20_000), real, schema=None)
    assert model.certificate.status == "none"
    assert model.certificate.entries[0].phase == "schema"


@pytest.mark.parametrize("form", ["ridge", "paper"])
def test_a_row_count_that_is_not_declared_leaves_no_guarantee(real, form):
    model = fit(Gaussian(form=form), real)
    assert model.certificate.status == "none"
    assert "not declared" in model.certificate.entries[0].what


def test_every_further_row_is_charged(real):
    model = fit(Gaussian(form="ridge", rows=500, at_least=20_000), real)
    at_first = model.certificate.epsilon(1e-5)
    model.sample(300)
    model.sample(200)
    assert model.certificate.epsilon(1e-5) == at_first and len(model.certificate.entries) == 1
    model.sample(1_500)
    twice = fit(Gaussian(form="ridge", rows=2_000, at_least=20_000), real)
    assert len(model.certificate.entries) == 2
    assert model.certificate.epsilon(1e-5) == pytest.approx(twice.certificate.epsilon(1e-5))


def test_the_charges_are_saved_with_the_model(real, tmp_path):
    model = fit(Gaussian(form="paper", rows=100, at_least=20_000), real)
    model.sample(250)
    again = us.load(model.save(tmp_path / "model"))
    assert again.certificate == model.certificate
    assert len(us.load(tmp_path / "model").certificate.entries) == 2  # loading draws nothing that is charged
    again.sample(1)
    assert len(again.certificate.entries) == 3


def test_the_folder_of_a_model_with_secrets_is_certified_as_such(real, tmp_path):
    model = fit(Gaussian(form="ridge", at_least=20_000), real)
    model.save(tmp_path / "model")
    kept = us.Certificate.from_json((tmp_path / "model" / "certificate.json").read_bytes())
    assert kept.status == "partial" and model.certificate.status == "sound"
    assert statuses(kept)["the model's own files"] == "none"


def test_a_seed_cannot_undo_the_draw(real):
    model = fit(Gaussian(form="ridge", at_least=20_000), real)
    assert not model.sample(50, seed=7).equals(model.sample(50, seed=7))


def test_secret_draws_lie_on_a_public_grid(real):
    drawn = fit(Gaussian(form="ridge", at_least=20_000), real).sample(1_000).column("a").to_numpy()
    steps = drawn / 6 * 2**20
    assert np.abs(steps - np.rint(steps)).max() < 1e-6


def test_conditions_are_refused_where_rows_are_charged(real):
    model = fit(Gaussian(form="ridge", at_least=20_000), real)
    with pytest.raises(WhereError, match="filter"):
        model.sample(5, where={"a": (0, 1)})


def test_a_table_smaller_than_promised_is_refused_without_telling_how_small(real):
    with pytest.raises(TooFewRows, match="20,001") as caught:
        fit(Gaussian(form="ridge", at_least=20_001), real)
    assert "20,000" not in str(caught.value)


@pytest.mark.parametrize("form", ["ridge", "paper"])
def test_levels_and_missing_values_are_refused_with_advice_where_only_quantities_fit(form):
    table = pa.table({"a": [1.0, 2.0, None, 4.0], "s": ["x", "y", "x", "y"]})
    for names in (["s"], ["a"]):
        with pytest.raises(SchemaError, match="noisy_moments"):
            Gaussian(form=form).fit(table.select(names), progress=False)


@pytest.mark.parametrize("form", ["ridge", "paper"])
def test_a_form_without_noise_refuses_a_budget(real, form):
    with pytest.raises(BudgetError, match="noisy_moments"):
        fit(Gaussian(form=form, at_least=20_000), real, budget=us.Budget(epsilon=1.0))


def test_settings_outside_their_ranges_are_refused():
    for bad in ({"form": "other"}, {"sigma": 0.0}, {"rows": 0}, {"at_least": -1}):
        with pytest.raises(ParameterError):
            Gaussian(**bad)


def test_levels_times_and_missing_values_come_back_in_the_default_form():
    rng = np.random.default_rng(3)
    days = pa.array(rng.integers(0, 20_000, 4_000).astype(np.int32)).cast(pa.date32())
    holes = rng.random(4_000) < 0.3
    table = pa.table(
        {"x": pa.array(rng.normal(size=4_000), mask=holes), "day": days, "s": rng.choice(["u", "v"], 4_000)}
    )
    drawn = Gaussian().fit(table, progress=False).sample(4_000, seed=1)
    assert abs(drawn.column("x").null_count / 4_000 - 0.3) < 0.05
    assert drawn.schema.field("day").type == pa.date32()
    assert set(drawn.column("s").to_pylist()) == {"u", "v"}
    assert np.nanmean(drawn.column("x").to_numpy()) == pytest.approx(0, abs=0.1)


@pytest.mark.skipif(not ADULT.exists(), reason="the shared data sets are not here")
def test_the_six_numbers_of_adult_keep_their_means_within_a_budget_of_one():
    with gzip.open(ADULT, "rb") as file:
        table = pyarrow.csv.read_csv(file)
    names = [name for name in table.schema.names if name.replace("_", "-") in SIX]
    assert len(names) == 6
    table = table.select(names).cast(pa.schema([(name, pa.float64()) for name in names]))
    rows = np.column_stack([table.column(name).to_numpy() for name in names])
    low, high = rows.min(axis=0), rows.max(axis=0)
    columns = tuple(
        Column(
            name=n,
            kind="numerical",
            type="double",
            bounds=Bounds(low=float(a), high=float(b)),
            missing=Missing(rate=0.0),
        )
        for n, a, b in zip(names, low, high, strict=True)
    )
    model = Gaussian().fit(
        table, schema=Schema(columns=columns), budget=us.Budget(epsilon=1.0, delta=1e-5), progress=False
    )
    scaled = 2 * (rows - low) / (high - low) - 1
    law = model.sampler.normal
    # Six standard deviations of the stated noise, and the noise of the row count that it is divided by.
    np.testing.assert_allclose(law.mean, scaled.mean(axis=0), atol=6 * 2.7e-4 + 6 * 6.5e-4)
    np.testing.assert_allclose(law.covariance, np.cov(scaled.T, bias=True), atol=0.012)


@pytest.mark.parametrize("odd", [101.0, math.inf, -math.inf, math.nan, None])
def test_no_single_row_decides_whether_a_secret_form_can_be_fitted(odd):
    rows = np.random.default_rng(0).uniform(0, 100, 3_000).tolist()
    recipe = Gaussian(form="ridge", sigma=0.1, at_least=3_000)
    schema = schema_of("a", low=0.0, high=100.0)
    models = [
        fit(recipe, pa.table({"a": pa.array(cells, pa.float64())}), schema=schema)
        for cells in (rows, [*rows, odd])
    ]
    assert [model.certificate.entries for model in models] == [models[0].certificate.entries] * 2


def test_rows_paid_for_ahead_are_not_given_out_again_by_every_load(tmp_path):
    rows = pa.table({"a": np.random.default_rng(0).uniform(0, 1, 5_000)})
    recipe = Gaussian(form="ridge", sigma=0.1, rows=100, at_least=5_000)
    fit(recipe, rows, schema=schema_of("a", low=0.0, high=1.0)).save(tmp_path / "model")
    for _ in range(2):
        loaded = us.load(tmp_path / "model")
        loaded.sample(100)
        assert len(loaded.certificate.entries) == 2


def test_rows_drawn_from_a_part_that_was_picked_rest_on_how_it_was_picked(real):
    picked, schema = Table(real, condition="picked"), schema_of("a", "b")
    model = Gaussian(form="ridge", rows=50, at_least=20_000).fit(picked, schema, progress=False)
    model.sample(60)
    drawn = [entry for entry in model.whole.entries if entry.phase == "sample"]
    assert [entry.condition for entry in drawn] == ["picked", "picked"]
