import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from understudy.codec.quantile import Quantile
from understudy.missing import MISSING_STEP

STEPS = st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1, max_size=60)
FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60)


def round_trip(coder, values, rng=None):
    block = coder.encode(values, rng).astype(np.float32)
    assert block.shape == (len(values), 1)
    assert np.isfinite(block).all()
    back = coder.decode(block)
    assert back.dtype == values.dtype == coder.dtype
    return back


@given(STEPS, st.booleans(), st.booleans())
def test_few_different_steps_that_rows_share_are_exact_however_large(values, normal, drawn):
    array = np.array(values)
    coder = Quantile.fit(np.repeat(array, 2), 100, normal=normal)
    assert round_trip(coder, array, np.random.default_rng(0) if drawn else None).tolist() == values


def test_amounts_that_are_one_rows_alone_are_not_drawn_again_beside_many_noughts():
    rng = np.random.default_rng(0)
    amounts = rng.integers(1, 10**6, 60)
    coder = Quantile.fit(np.concatenate([np.zeros(6_000, np.int64), amounts]), 1_000, normal=False)
    drawn = coder.decode(2 * rng.random((20_000, 1)) - 1)
    assert (drawn == 0).mean() == pytest.approx(6_000 / 6_060, abs=0.003)
    assert np.isin(drawn[drawn > 0], np.sort(amounts)[1:-1]).mean() < 0.02


@pytest.mark.parametrize("rows", [300, 3_000])
def test_a_step_that_one_row_of_many_had_is_not_drawn_again(rows):
    """The nanosecond of somebody's visit; of steps that lie close, all are as likely as they were."""
    rng = np.random.default_rng(0)
    moments, near = rng.integers(0, 10**15, rows), np.arange(rows)
    drawn = 2 * rng.random((20_000, 1)) - 1
    again = np.isin(Quantile.fit(moments, 1_000, normal=False).decode(drawn), np.sort(moments)[1:-1])
    assert again.mean() < 0.001  # beyond the first and the last nothing is drawn, so these are
    found = np.bincount(Quantile.fit(near, 1_000, normal=False).decode(drawn), minlength=rows)
    assert found.sum() == 20_000 and abs(found[: rows // 2].sum() - 10_000) < 400


@given(FLOATS, st.booleans(), st.booleans())
def test_tied_floats_are_exact_and_lone_ones_close(values, normal, drawn):
    array = np.array(values)
    coder = Quantile.fit(array, 100, normal=normal)
    back = round_trip(coder, array, np.random.default_rng(0) if drawn else None)
    distinct, place, counts = np.unique(array, return_inverse=True, return_counts=True)
    tied = counts[place] > 1
    assert (back[tied] == array[tied]).all()
    below, above = distinct[np.maximum(place - 1, 0)], distinct[np.minimum(place + 1, len(distinct) - 1)]
    room = (above / 2 - below / 2) * 2e-8 * 2 * len(array)  # half of each: the whole may not be a float
    # Next to a far larger neighbour, what is lost is lost at that neighbour's scale.
    floor = 5e-324 + np.maximum(np.abs(above), np.abs(below)) * 2.0**-52
    assert (np.abs(back / 2 - array / 2) <= room + floor).all()


@given(
    st.integers(-(2**61), 2**61),
    st.lists(st.integers(0, 100_000), min_size=20, max_size=200),
    st.integers(2, 15),
    st.booleans(),
)
def test_steps_between_the_knots_are_exact_too(origin, offsets, knots, normal):
    values = np.array(offsets) + origin
    coder = Quantile.fit(values, knots, normal=normal)
    assert round_trip(coder, values).tolist() == values.tolist()


def test_heavy_values_are_exact_among_many_light_ones():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(50_000) < 0.4, 0.0, rng.lognormal(8, 2, 50_000))
    values[rng.random(50_000) < 0.1] = 99_999.0
    back = round_trip(Quantile.fit(values, 100, normal=True), values)
    for heavy in (0.0, 99_999.0):
        assert (back[values == heavy] == heavy).all()
        assert (back[values != heavy] != heavy).mean() > 0.999
    assert np.allclose(back, values, rtol=1e-3, atol=np.ptp(values) * 1e-6)


@pytest.mark.parametrize("rows", [3_000, 100_000])
def test_a_continuous_column_becomes_a_standard_normal(rows):
    values = np.random.default_rng(1).lognormal(3, 1.5, rows)
    number = Quantile.fit(values, 1_000, normal=True).encode(values, None).ravel()
    assert abs(number.mean()) < 0.01
    assert abs(number.std() - 1) < 0.01
    assert stats.kstest(number, "norm").statistic < 0.002


def test_a_continuous_column_becomes_uniform_between_minus_one_and_one():
    values = np.random.default_rng(1).lognormal(3, 1.5, 100_000)
    number = Quantile.fit(values, 1_000, normal=False).encode(values, None).ravel()
    assert stats.kstest(number, "uniform", args=(-1, 2)).statistic < 0.002


def test_drawn_ties_make_a_discrete_column_a_standard_normal():
    rng = np.random.default_rng(2)
    values = rng.integers(0, 4, 100_000)
    number = Quantile.fit(values, 1_000, normal=True).encode(values, rng).ravel()
    assert stats.kstest(number, "norm").statistic < 0.005


def test_decoding_normals_gives_the_learned_distribution_back():
    rng = np.random.default_rng(3)
    values = rng.gamma(2.0, 10.0, 50_000)
    drawn = Quantile.fit(values, 500, normal=True).decode(rng.standard_normal((50_000, 1)))
    assert stats.ks_2samp(values, drawn).statistic < 0.01


def test_a_float_that_stood_in_one_row_is_not_repeated_more_than_any_other():
    rng = np.random.default_rng(4)
    values = rng.normal(size=2_000)
    drawn = Quantile.fit(values, 1_000, normal=True).decode(rng.standard_normal((10_000, 1)))
    assert np.isin(drawn, values[1:-1]).mean() < 0.002


def test_values_beyond_the_knots_are_moved_to_the_end():
    coder = Quantile.fit(np.array([1.0, 2.0, 3.0]), 10, normal=True)
    assert round_trip(coder, np.array([-9.0, 9.0])).tolist() == [1.0, 3.0]
    assert coder.decode(np.array([[-40.0], [40.0]])).tolist() == [1.0, 3.0]


@pytest.mark.parametrize("normal", [True, False])
def test_missing_entries_stand_in_the_middle_or_are_drawn(normal):
    values = np.array([1, MISSING_STEP, 9])
    coder = Quantile.fit(np.array([1, 9]), 10, normal=normal)
    assert coder.encode(values, None)[1, 0] == 0
    assert coder.encode(values, np.random.default_rng(0))[1, 0] != 0


def test_the_number_of_knots_stays_near_what_was_asked():
    values = np.random.default_rng(0).normal(size=100_000)
    assert len(Quantile.fit(values, 200, normal=True).values) <= 202
