"""What the forests keep of a table, what their densities are worth, and that a budget is refused."""

import numpy as np
import pandas as pd
import pytest

import understudy as us
from synth.truth import same_levels, same_numbers
from understudy.errors import BudgetError, TooLarge
from understudy.synth import arf as module
from understudy.synth.arf import ARF


def moons(rows=2_000, seed=0):
    """Return two half-circles, which of them it is, and a whole number that hangs on both."""
    rng = np.random.default_rng(seed)
    side = rng.random(rows) < 0.5
    turn = rng.random(rows) * np.pi
    x = np.where(side, np.cos(turn), 1 - np.cos(turn)) + 0.05 * rng.normal(size=rows)
    y = np.where(side, np.sin(turn), 0.5 - np.sin(turn)) + 0.05 * rng.normal(size=rows)
    count = rng.poisson(3 + 4 * side)
    return pd.DataFrame({"x": x, "y": y, "side": np.where(side, "up", "down"), "count": count})


def shuffled(frame, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: frame[name].to_numpy()[rng.permutation(len(frame))] for name in frame})


@pytest.fixture(scope="module")
def model():
    return ARF().fit(moons(), progress=False)


def test_columns_and_what_binds_them_are_kept(model):
    real, fake = moons(), model.sample(2_000, seed=1)
    assert same_levels(real["side"], fake["side"])
    for name in ("x", "y", "count"):
        for side in ("up", "down"):
            assert same_numbers(real[name][real["side"] == side], fake[name][fake["side"] == side])
    radius = np.hypot(fake["x"], fake["y"])[fake["side"] == "up"]
    assert abs(radius.mean() - 1) < 0.1 and radius.std() < 0.25
    assert fake.dtypes.equals(real.dtypes)


def test_new_rows_are_likelier_than_shuffled_ones(model):
    fresh = moons(seed=1)
    real, broken = model.log_density(fresh), model.log_density(shuffled(fresh))
    assert np.mean(real[:, None] > broken[None, :]) > 0.75
    assert np.median(real) > np.median(broken) + 1


def test_the_density_of_one_number_integrates_to_one():
    frame = pd.DataFrame({"x": np.random.default_rng(0).gamma(2.0, 1.0, 500)})
    model = ARF(trees=5).fit(frame, progress=False)
    grid = np.linspace(frame["x"].min() - 0.5, frame["x"].max() + 0.5, 40_001)
    density = np.exp(model.log_density(pd.DataFrame({"x": grid})))
    assert abs(np.trapezoid(density, grid) - 1) < 1e-3


def test_the_density_of_two_numbers_and_a_level_integrates_to_one():
    frame = moons(500)[["x", "y", "side"]]
    model = ARF(trees=4, rounds=2).fit(frame, progress=False)
    low, high = frame[["x", "y"]].min().to_numpy(), frame[["x", "y"]].max().to_numpy()
    steps = 250
    x, y = (np.linspace(low[i], high[i], steps, endpoint=False) + (high - low)[i] / steps / 2 for i in (0, 1))
    grid = pd.DataFrame({"x": np.repeat(x, steps), "y": np.tile(y, steps)})
    cell = np.prod((high - low) / steps)
    total = sum(np.exp(model.log_density(grid.assign(side=side))).sum() * cell for side in ("up", "down"))
    assert abs(total - 1) < 0.02


def test_the_probabilities_of_levels_and_whole_numbers_with_holes_add_up_to_one():
    frame = moons(800)[["side", "count"]].astype({"count": "Int64"})
    frame.loc[::7, "count"] = pd.NA
    frame.loc[::5, "side"] = None
    for law in ("points", "normal"):
        model = ARF(trees=5, law=law).fit(frame, progress=False)
        counts = [*range(frame["count"].max() + 2), pd.NA]
        every = pd.DataFrame(
            [(side, count) for side in ("up", "down", None) for count in counts], columns=["side", "count"]
        ).astype(frame.dtypes.to_dict())
        assert abs(np.exp(model.log_density(every)).sum() - 1) < 1e-9


def test_conditions_keep_the_law_of_the_other_columns_as_the_table_has_it(model):
    real = moons()
    fake = model.sample(1_000, seed=2, where={"side": "up", "x": (-0.5, 0.5)})
    kept = real[(real["side"] == "up") & real["x"].between(-0.5, 0.5)]
    assert (fake["side"] == "up").all() and fake["x"].between(-0.5, 0.5).all()
    assert same_numbers(kept["y"], fake["y"])
    assert same_numbers(kept["count"], fake["count"])


def test_missing_cells_go_with_the_rows_they_belong_to():
    frame = moons(1_500)
    frame.loc[frame["side"] == "up", "y"] = np.nan
    fake = ARF(trees=10).fit(frame, progress=False).sample(1_000)
    assert fake["y"].isna().eq(fake["side"] == "up").mean() > 0.97


def test_values_that_rows_share_stay_and_lone_ones_are_not_copied():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=500), "hours": np.where(rng.random(500) < 0.6, 40, 37.123)})
    fake = ARF(trees=5).fit(frame, progress=False).sample(2_000)
    assert set(fake["hours"]) == {40.0, 37.123}
    assert not set(fake["x"]) & set(frame["x"])


def test_the_paper_has_normal_laws_alone():
    frame = moons(500)
    sampler = ARF.paper().fit(frame, progress=False).sampler
    assert all(len(sampler.laws[name].points) == 0 for name in ("x", "y", "count"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": ["a"] * 60}),
        pd.DataFrame({"x": pd.Series([None] * 60, dtype=object)}),
        pd.DataFrame({"x": [1.5], "c": ["a"]}),
        pd.DataFrame({"x": [7] * 9, "c": [None] * 9}),
    ],
    ids=["one value", "all missing", "one row", "both"],
)
def test_a_table_of_columns_with_one_value_comes_back(frame, tmp_path):
    model = ARF.small().fit(frame, progress=False)
    model.save(tmp_path / "model")
    for each in (model, us.load(tmp_path / "model")):
        for where in (None, {"x": frame["x"].iloc[0]}):
            fake = each.sample(3, where=where)
            assert (fake["x"].isna() | (fake["x"] == frame["x"].iloc[0])).all() and len(fake) == 3
        assert len(each.sample(0)) == 0


@pytest.mark.parametrize("base", [2**53, 2**60, -(2**62)])
def test_whole_numbers_far_from_0_are_drawn_and_asked_for_to_the_last_digit(base):
    x = base + np.random.default_rng(0).choice(1_000, 400, replace=False)
    frame = pd.DataFrame({"x": x})
    model = ARF.small().fit(frame, progress=False)
    every = pd.DataFrame({"x": np.arange(x.min(), x.max() + 1)})
    assert np.exp(model.log_density(every)).sum() == pytest.approx(1)
    assert model.sample(1_000)["x"].nunique() > 300
    assert set(model.sample(20, where={"x": int(x[0])})["x"]) == {x[0]}
    low, high = int(x[0]), int(x[0]) + 3
    assert model.sample(50, where={"x": (low, high)})["x"].between(low, high).all()


def test_times_in_nanoseconds_are_drawn_to_the_nanosecond():
    rng = np.random.default_rng(0)
    day = 86_400 * 10**9
    frame = pd.DataFrame(
        {"t": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 3_000 * day, 300))}
    )
    model = ARF.small().fit(frame, progress=False)
    assert (model.sample(2_000)["t"].astype("int64") % 256).nunique() > 250
    assert np.isfinite(model.log_density(frame)).all()


def test_numbers_too_small_for_all_digits_have_a_density():
    frame = moons(300)[["x", "side"]].assign(x=lambda t: t["x"] * 1e-310)
    model = ARF.small().fit(frame, progress=False)
    assert (model.log_density(frame) > 700).all()
    assert model.sample(500)["x"].nunique() > 300


def test_a_budget_is_refused():
    with pytest.raises(BudgetError, match="arf"):
        ARF().fit(moons(50), budget=us.Budget(epsilon=1.0, delta=1e-6), progress=False)


def test_more_laws_than_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_LAWS", 10)
    with pytest.raises(TooLarge, match="trees"):
        ARF.small().fit(moons(200), progress=False)
