"""Rows, conditions and densities of a forest agree with each other, and go through a file."""

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.engines.condition import Among, Between, IsMissing, accepted
from understudy.errors import NothingMatches
from understudy.model.forest_sampler import ForestSampler
from understudy.synth.arf import ARF


def table(rows=600, seed=0):
    """Return a number that hangs on a level, one with holes and a heavy value, and a level that follows."""
    rng = np.random.default_rng(seed)
    city = rng.integers(0, 4, rows)
    hours = np.where(rng.random(rows) < 0.5, 40.0, np.round(rng.normal(40, 10, rows)))
    hours[rng.random(rows) < 0.2 + 0.4 * (city == 3)] = np.nan
    return pd.DataFrame(
        {
            "x": city + 0.3 * rng.normal(size=rows),
            "hours": hours,
            "city": np.array(list("abcd"))[city],
            "land": np.array(["n", "n", "s", "s"])[city],
        }
    )


@pytest.fixture(scope="module")
def model():
    return ARF(trees=6).fit(table(), progress=False)


def drawn(model, rows=40_000, seed=0, conditions=None):
    return model.sampler.draw(rows, np.random.default_rng(seed), conditions or {})


def test_a_follower_is_beside_its_leader_and_has_no_law(model):
    assert set(model.sampler.followers) == {"land"}
    rows = model.sample(2_000)
    assert ((rows["land"] == "n") == rows["city"].isin(["a", "b"])).all()


@pytest.mark.parametrize(
    "conditions",
    [
        {"x": Between(0.5, 1.6)},
        {"city": Among(np.array([True, False, False, True, False]))},
        {"hours": IsMissing()},
        {"hours": Between(40, 40), "land": Among(np.array([False, True, False]))},
        {
            "city": Among(np.array([True, False, True, True, False])),
            "land": Among(np.array([False, True, False])),
        },
    ],
    ids=["range", "levels", "missing", "follower", "leader and follower"],
)
def test_the_law_under_conditions_is_that_of_rows_which_happen_to_satisfy_them(model, conditions):
    free, bound = drawn(model), drawn(model, conditions=conditions)
    kept = accepted(free, conditions, 40_000)
    assert accepted(bound, conditions, 40_000).all()
    tolerance = 5 / np.sqrt(kept.sum())
    for name in ("city", "land"):
        found, wanted = (np.bincount(v + 1, minlength=5) / len(v) for v in (bound[name], free[name][kept]))
        assert np.abs(found - wanted).max() < tolerance
    assert abs(np.mean(bound["x"]) - np.mean(free["x"][kept])) < 1.5 * tolerance
    gaps = [np.isnan(v.astype(float)) | (v < 0) for v in (bound["hours"], free["hours"][kept])]
    assert abs(gaps[0].mean() - gaps[1].mean()) < tolerance


@pytest.mark.parametrize("place", [0, 100, 300, 599])
def test_the_law_given_one_number_is_that_of_a_narrow_range_about_it(model, place):
    value = float(np.sort(table()["x"])[place])
    bound = drawn(model, 20_000, conditions={"x": Between(value, value)})
    near = drawn(model, 20_000, conditions={"x": Between(value - 1e-3, value + 1e-3)})
    assert set(bound["x"]) == {value}
    for name in ("city", "land"):
        found, wanted = (np.bincount(each[name] + 1, minlength=5) / 20_000 for each in (bound, near))
        assert np.abs(found - wanted).max() < 0.03


def test_the_largest_number_and_all_above_can_be_asked_for(model):
    last = table()["x"].max()
    assert set(model.sample(20, where={"x": (last, None)})["x"]) == {last}
    assert set(model.sample(20, where={"x": last, "city": "d"})["x"]) == {last}


def test_conditions_that_no_leaf_satisfies_are_refused(model):
    north, south = np.array([True, False, False, False, False]), np.array([False, True, False])
    with pytest.raises(NothingMatches):
        drawn(model, 5, conditions={"city": Among(north), "land": Among(south)})
    with pytest.raises(NothingMatches, match="range"):
        drawn(model, 5, conditions={"x": Between(90, 99)})
    with pytest.raises(NothingMatches, match="never missing"):
        drawn(model, 5, conditions={"x": IsMissing()})


def test_an_error_names_the_columns_that_were_asked_for_and_no_other(model):
    named = {"city": "a", "land": "s"}
    with pytest.raises(NothingMatches, match="'city', 'land' together"):
        model.sample(5, where=named)
    frame = table().assign(zone=lambda t: np.where(t["land"] == "n", 1.5, np.nan))
    wider = ARF(trees=3).fit(frame, progress=False)
    assert {"land", "zone"} <= set(wider.sampler.followers)
    for where, told in (
        ({"land": "n", "zone": None}, "'land', 'zone' together"),
        ({"zone": (2, 3)}, "column 'zone': no mass in that range"),
    ):
        with pytest.raises(NothingMatches, match=told) as caught:
            wider.sample(5, where=where)
        assert "city" not in str(caught.value)


def test_leaves_are_drawn_evenly(model):
    sampler = model.sampler
    rows = drawn(model, 3_000)
    share = np.mean(rows["city"] == 0)
    assert abs(share - np.mean(table()["city"] == "a")) < 0.02
    assert len(sampler.coverage) == len(sampler.partition.leaves())


def test_the_state_gives_back_an_equal_sampler(model):
    tensors, facts = model.sampler.state()
    again = ForestSampler.restore(tensors, facts)
    for name, values in drawn(model, 200).items():
        other = again.draw(200, np.random.default_rng(0), {})[name]
        assert np.array_equal(values, other, equal_nan=values.dtype.kind == "f")
    assert np.array_equal(again.log_density(drawn(model, 50)), model.sampler.log_density(drawn(model, 50)))


def test_leaves_of_other_trees_are_refused(model):
    tensors, facts = model.sampler.state()
    with pytest.raises(ValueError, match="leaves"):
        ForestSampler.restore({**tensors, "coverage": tensors["coverage"][1:]}, facts)


def test_trees_that_lead_in_a_circle_are_refused(model):
    tensors, facts = model.sampler.state()
    left = np.where(tensors["tree.left"] >= 0, 0, -1).astype(np.int32)
    with pytest.raises(ValueError, match="trees"):
        ForestSampler.restore({**tensors, "tree.left": left}, facts)


def test_a_row_that_no_leaf_gives_has_no_density(model):
    odd = table(3)
    odd["x"] = [1.0, 99.0, 1.0]
    odd["land"] = ["n", "n", "s"]
    odd["city"] = ["a", "a", "a"]
    found = model.log_density(odd)
    assert found[1] == found[2] == -np.inf
    assert len(model.log_density(table().iloc[:0])) == 0


def test_densities_are_the_logs_of_how_often_cells_are_drawn():
    frame = table(400)[["city", "hours"]]
    frame["hours"] = (frame["hours"] // 20 * 20).astype("Int64")
    model = us.synth.get("arf")(trees=4).fit(frame, progress=False)
    rows = model.sample(60_000)
    counts = rows.value_counts(dropna=False, normalize=True)
    some = counts[counts > 0.01]
    asked = some.index.to_frame(index=False).astype(frame.dtypes.to_dict())
    assert np.abs(np.exp(model.log_density(asked)) - some.to_numpy()).max() < 0.01
