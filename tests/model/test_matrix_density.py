"""A density in the units of a table: over all that a row can be it adds up, or integrates, to 1."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.errors import InputError
from understudy.synth.nflow import NFlow
from understudy.synth.tvae import TVAE

pytest.importorskip("torch")

QUICK = replace(NFlow.small(), steps=60, lr=1e-2, aside=0.0)


def fitted(table, **settings):
    return replace(QUICK, **settings).fit(table, progress=False)


def floats(rows=600):
    rng = np.random.default_rng(0)
    side = rng.random(rows) < 0.3
    return pd.DataFrame({"x": np.where(side, 40.0, 10.0) + 3 * rng.normal(size=rows)})


def inside(table):
    """Return points between all values of a column, what each stands for, and the ends."""
    values = np.unique(table["x"].dropna())
    gaps, places = np.diff(values), (np.arange(8) + 0.5) / 8
    return (values[:-1, None] + gaps[:, None] * places).ravel(), np.repeat(gaps / 8, 8), values[[0, -1]]


def test_a_float_column_integrates_to_one():
    table = floats()
    model = fitted(table)
    line, weight, ends = inside(table)
    dense = np.exp(model.log_density(pd.DataFrame({"x": line})))
    beyond = np.exp(model.log_density(pd.DataFrame({"x": ends})))  # what is drawn beyond an end becomes it
    assert dense @ weight + beyond.sum() == pytest.approx(1, abs=0.005)
    assert dense[np.abs(line - 10) < 1].mean() > 5 * dense[np.abs(line - 25) < 3].mean()


@pytest.mark.parametrize("power", [-1035, 1010])
def test_a_float_column_of_any_size_has_the_density_of_its_shape(power):
    table = floats()
    scaled = np.ldexp(table, power)
    plain, found = (fitted(each, few=0).log_density(each) for each in (table, scaled))
    inner = ~table["x"].isin([table["x"].min(), table["x"].max()]).to_numpy()  # the ends are probabilities
    assert np.isfinite(found).all()
    # The smallest floats hold few digits, so some slopes differ by as much.
    assert np.quantile(np.abs(found + power * np.log(2) - plain)[inner], 0.9) < 1e-3


def test_a_column_from_end_to_end_of_the_floats_has_a_density():
    half = np.linspace(1.7e308, 1.79e308, 50)
    table = pd.DataFrame({"x": np.concatenate([half, -half])})
    found = fitted(table, few=0).log_density(table.assign(x=table["x"] * 0.999))
    assert np.isfinite(found[(table["x"].abs() > 1.71e308).to_numpy()]).all()


def test_beside_a_word_it_integrates_to_one_over_both():
    table = floats().assign(word=lambda t: np.where(t["x"] > 25, "b", "a"))
    model = fitted(table)
    line, weight, ends = inside(table)
    parts = [np.exp(model.log_density(pd.DataFrame({"x": line, "word": word}))) for word in "ab"]
    beyond = [np.exp(model.log_density(pd.DataFrame({"x": ends, "word": word}))) for word in "ab"]
    total = sum(part @ weight for part in parts) + np.sum(beyond)
    assert total == pytest.approx(1, abs=0.005)


@pytest.mark.parametrize("few", [0, 128], ids=["ranks", "codes"])
@pytest.mark.parametrize("apart", [1, 7])
def test_whole_numbers_and_words_add_up_to_one(few, apart):
    rng = np.random.default_rng(0)
    count = apart * rng.integers(0, 40, 5_000)
    table = pd.DataFrame({"count": count, "word": np.where(rng.random(5_000) < count / 300, "b", "a")})
    model = fitted(table, few=few)
    cells = [(step, word) for step in range(apart * 39 + 1) for word in "ab"]
    found = np.exp(model.log_density(pd.DataFrame(cells, columns=["count", "word"])))
    assert found.sum() == pytest.approx(1, abs=1e-6)
    assert ((found > 1e-12) == [step % apart == 0 for step, _ in cells]).all(), (
        "what was never seen is never drawn"
    )
    outside = pd.DataFrame({"count": [-1, apart * 39 + 1], "word": ["a", "a"]})
    assert (model.log_density(outside) == -np.inf).all()


def test_more_steps_than_knots_add_up_to_one():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"count": rng.integers(0, 3_000, 2_500)})
    model = fitted(table)
    low, high = table["count"].min(), table["count"].max()
    found = np.exp(model.log_density(pd.DataFrame({"count": np.arange(low, high + 1)})))
    assert found.sum() == pytest.approx(1, abs=1e-6)


def test_a_value_that_many_share_and_a_gap_count_by_their_probability():
    table = floats()
    table.loc[:199, "x"] = 0.0
    table.loc[200:259, "x"] = np.nan
    model = fitted(table)
    tie, gap = np.exp(model.log_density(pd.DataFrame({"x": [0.0, np.nan]})))
    assert tie == pytest.approx(1 / 3, abs=0.1) and gap == pytest.approx(0.1, abs=0.05)
    line, weight, (_, last) = inside(table)
    dense = np.exp(model.log_density(pd.DataFrame({"x": line})))
    tie += np.exp(model.log_density(pd.DataFrame({"x": [last]})))[0]
    assert tie + gap + dense @ weight == pytest.approx(1, abs=0.02)


def test_a_gap_that_no_row_had_is_impossible():
    assert fitted(floats()).log_density(pd.DataFrame({"x": [np.nan]})).tolist() == [-np.inf]


def test_a_generator_without_a_density_is_refused():
    model = TVAE.small().fit(floats(50), progress=False)
    with pytest.raises(InputError, match="nflow"):
        model.log_density(floats(5))


def test_a_row_of_a_table_with_nothing_to_model_is_certain():
    model = fitted(pd.DataFrame({"same": [3, 3, 3]}))
    assert model.log_density(pd.DataFrame({"same": [3]})).tolist() == [0.0]


@pytest.mark.parametrize("whole", [365 * 86_400 * 10**9, 10**6], ids=["nanoseconds of a year", "coarse"])
def test_steps_of_any_size_have_a_density_wherever_rows_are_drawn(whole):
    """Of a nanosecond both ends are one number in doubles, and the logarithm of their difference is none."""
    rng = np.random.default_rng(0)
    steps = rng.integers(0, whole, 500)
    table = pd.DataFrame({"t": pd.to_datetime(10**18 + steps), "b": rng.choice(["x", "y"], 500)})
    model = fitted(table)
    for rows in (table, model.sample(300, seed=1)):
        assert np.isfinite(model.log_density(rows)).all()
    # Steps are about as common as each other, but for the ends, which own what lies beyond.
    inside = np.sort(model.log_density(table[table.b == "x"]))[:-2]
    told = np.log((table.b == "x").mean() / whole)
    assert np.median(inside) == pytest.approx(told, abs=1.0)


def test_a_level_that_a_budget_did_not_tell_is_never_drawn():
    table = pd.DataFrame({"b": ["often"] * 300 + ["once"], "x": np.arange(301.0)})
    budget = us.Budget(epsilon=5.0, delta=1e-6)
    model = us.synth.get("nflow").small().fit(table, budget=budget, progress=False)
    assert "once" not in model.schema.column("b").levels.values
    found = model.log_density(table)
    assert found[-1] == -np.inf and np.isfinite(found[50:250]).all()
