"""Every margin is right, and nothing else is."""

import numpy as np
import pyarrow as pa
import pytest

from synth.truth import independent, same_levels, same_margin, same_numbers
from understudy.errors import NothingMatches
from understudy.synth.histogram import Histogram
from understudy.table.builtin import load
from understudy.table.schema import Bounds, Column, Schema


@pytest.fixture(scope="module")
def real():
    return load("people", rows=2_000).to_arrow()


@pytest.fixture(scope="module")
def fake(real):
    return Histogram().fit(real, progress=False).sample(8_000, seed=1)


@pytest.mark.parametrize("name", ["sex", "education", "sector", "town", "member"])
def test_levels_and_few_values_keep_their_shares(real, fake, name):
    assert same_margin(real.column(name).to_pylist(), fake.column(name).to_pylist())


@pytest.mark.parametrize("name", ["height_cm", "income", "age"])
def test_many_values_keep_their_distribution(real, fake, name):
    assert same_numbers(*(t.column(name).drop_null().to_numpy() for t in (real, fake)))


def test_a_wrong_share_would_be_noticed(real, fake):
    wrong = ["male" if i % 10 == 0 else v for i, v in enumerate(fake.column("sex").to_pylist())]
    assert not same_margin(real.column("sex").to_pylist(), wrong)


def test_columns_are_independent_although_the_real_ones_are_not():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 2_000)
    table = pa.table(
        {"a": [f"a{v}" for v in first], "b": [f"b{v}" for v in (first + rng.integers(0, 2, 2_000)) % 4]}
    )
    assert not independent(table.column("a").to_pylist(), table.column("b").to_pylist())
    drawn = Histogram().fit(table, progress=False).sample(8_000, seed=2)
    assert independent(drawn.column("a").to_pylist(), drawn.column("b").to_pylist())


def test_missing_values_are_independent_of_the_rest_too():
    table = pa.table({"x": [None, 1.5, 2.5, None] * 100, "s": ["a", "b", "b", "a"] * 100})
    drawn = Histogram().fit(table, progress=False).sample(4_000, seed=3)
    missing = [value is None for value in drawn.column("x").to_pylist()]
    assert abs(np.mean(missing) - 0.5) < 0.05
    assert independent(missing, drawn.column("s").to_pylist())


def test_a_condition_cuts_its_own_margin_and_leaves_the_others(real):
    model = Histogram().fit(real, progress=False)
    free, bound = (
        model.sample(20_000, seed=4),
        model.sample(4_000, seed=5, where={"age": (30, 45), "sex": "male"}),
    )
    ages = free.column("age").to_numpy()
    assert same_numbers(ages[(ages >= 30) & (ages <= 45)], bound.column("age").to_numpy())
    assert same_levels(free.column("sector").to_pylist(), bound.column("sector").to_pylist())


def test_few_knots_are_coarse_and_many_are_fine():
    rng = np.random.default_rng(4)
    table = pa.table({"x": np.concatenate([rng.normal(-5, 1, 3_000), rng.normal(5, 1, 3_000)])})
    coarse, fine = (Histogram(knots=k).fit(table, progress=False).sample(4_000, seed=6) for k in (3, 1_000))
    assert same_numbers(table.column("x").to_numpy(), fine.column("x").to_numpy())
    assert not same_numbers(table.column("x").to_numpy(), coarse.column("x").to_numpy())


def test_the_error_names_the_column_that_cannot_match(real):
    model = Histogram().fit(real, progress=False)
    with pytest.raises(NothingMatches, match="column 'age': no mass in that range; widen it"):
        model.sample(1, where={"age": (500, 600)})
    with pytest.raises(NothingMatches, match="column 'age': no mass at exactly that value; ask for a range"):
        model.sample(1, where={"age": 500})
    with pytest.raises(NothingMatches, match="column 'age' was never missing"):
        model.sample(1, where={"age": None})


def test_a_range_that_no_row_lies_in_matches_nothing_however_narrow_the_gap():
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = np.repeat(np.unique(rng.integers(0, 2_000, 60)), 2)  # lines run through values of one row
        model = Histogram().fit(pa.table({"n": values, "x": values / 8}), progress=False)
        for gap in set(range(2_000)) - set(values.tolist()):
            if gap % 37 == 0:
                with pytest.raises(NothingMatches):
                    model.sample(3, where={"n": gap})


def test_a_quantity_that_was_never_there_is_missing_and_never_made_up():
    schema = Schema(
        columns=(
            Column(name="n", kind="numerical", type="int64", resolution=1.0, bounds=Bounds(low=0, high=9)),
            Column(name="x", kind="numerical", type="double", bounds=Bounds(low=0.0, high=9.0)),
        )
    )
    table = pa.table({"n": pa.nulls(30, pa.int64()), "x": pa.nulls(30, pa.float64())})
    model = Histogram().fit(table, schema=schema, progress=False)
    assert model.sample(5).column("n").null_count == 5
    assert model.sample(5, where={"n": None, "x": None}).column("x").null_count == 5
    for where in ({"n": (1, 2)}, {"x": (1, 2)}):
        with pytest.raises(NothingMatches):
            model.sample(5, where=where)


def test_open_ranges_of_large_whole_numbers_stay_exact():
    values = [2**60 + 3 * (k // 2) + 1 for k in range(80)]
    model = Histogram().fit(pa.table({"n": values}), progress=False)
    found = model.sample(500, where={"n": (values[20], None)}).column("n").to_pylist()
    assert set(found) <= set(values[20:])
