import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, noise_of, p_of_noise, proofs, rounded_cdf, stream
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import Gaussian
from understudy.privacy.mechanisms.sums import ClippedSums

N = 100_000
floats = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-3, 3),
    st.sampled_from([1e300, -1e300, 5e-324, 1e-160, 0.1 + 0.2]),
)


def as_they_are(columns):
    return np.stack([columns["x"], columns["y"]], axis=1)


def pair(clip=1.0, noise=2.0):
    return ClippedSums(as_they_are, ("x", "y"), 2, clip, Gaussian(noise))


def wide(noise, clip=1.0, width=N):
    return ClippedSums(
        lambda columns: np.zeros((len(columns["x"]), width)), ("x",), width, clip, Gaussian(noise)
    )


def columns_of(rows):
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return {"x": table[:, 0], "y": table[:, 1]}


@pytest.mark.parametrize(("noise", "clip"), [(0.5, 1.0), (4.0, 0.3), (900.0, 77.0)])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(noise, clip):
    zeros = np.zeros(N, dtype=np.int64)
    steps = noise * clip / wide(noise, clip).grid
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        mechanism = wide(noise * factor, clip)
        drawn = noise_of(mechanism, zeros, seed=1, unit=mechanism.grid)
        p = p_of_noise(drawn, rounded_cdf(steps), steps)
        assert (p > 1e-3) if accepted else (p < ALPHA)


@given(st.lists(st.tuples(floats, floats), max_size=12), st.tuples(floats, floats), st.integers(0, 12))
def test_one_row_moves_the_sum_by_at_most_the_clip_in_exact_arithmetic(rows, row, place):
    for clip in (1.0, 0.7, 3e-7, 1e9):
        mechanism = pair(clip)
        before, after = (
            mechanism.statistic(columns_of(table)) for table in (rows, [*rows[:place], row, *rows[place:]])
        )
        gap = sum(int(a - b) ** 2 for a, b in zip(after.tolist(), before.tolist(), strict=True))
        assert Fraction(gap) <= (Fraction(clip) / Fraction(mechanism.grid)) ** 2
        assert mechanism.distance(before, after) <= mechanism.sensitivity.value


def test_short_vectors_are_summed_as_they_are_and_long_ones_at_the_clip():
    total = pair(5.0).statistic(columns_of([(3.0, -4.0), (0.5, 0.25), (300.0, 400.0)])) * pair(5.0).grid
    assert total == pytest.approx([6.5, 0.25], abs=1e-4)


@pytest.mark.parametrize("cell", [np.nan, np.inf, -np.inf, 1e200, -1.7e308])
def test_a_vector_without_a_length_counts_as_nought_or_is_clipped_and_nothing_is_said(cell):
    total = pair().statistic(columns_of([(cell, 0.0), (0.5, 0.0)])) * pair().grid
    assert abs(total[0] - 0.5) <= 1 + 1e-6


def test_blocks_add_up_to_the_whole(monkeypatch):
    import understudy.privacy.mechanisms.sums as file

    rng = np.random.default_rng(1)
    columns = columns_of(rng.normal(size=(1_000, 2)))
    whole = pair().statistic(columns)
    monkeypatch.setattr(file, "CELLS", 1)
    assert np.array_equal(pair().statistic(columns), whole)


def test_no_rows_and_no_columns_sum_to_nought():
    assert pair().statistic(columns_of([])).tolist() == [0, 0]
    assert wide(1.0, width=3).statistic({}).tolist() == [0, 0, 0]


@pytest.mark.parametrize("noise", [0.3, 1.0, 4.0])
def test_the_price_agrees_with_dp_accounting(noise):
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    theirs = PLDAccountant().compose(dp_accounting.GaussianDpEvent(noise)).get_epsilon(1e-6)
    assert account((pair(noise=noise).event,)).epsilon(1e-6) == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("noise", [0.1, 1.0, 1e4, 1e7, 1e9])
def test_any_noise_that_a_plan_can_ask_for_can_be_drawn(noise):
    mechanism = pair(noise=noise)
    released = mechanism.release(mechanism.statistic(columns_of([(1.0, 0.0)])), stream(3))
    assert np.isfinite(released).all()
    assert mechanism.grid <= mechanism.clip / 64


@pytest.mark.parametrize("clip", [0.0, -1.0, math.inf, math.nan])
def test_a_clip_that_bounds_nothing_is_refused(clip):
    with pytest.raises(ParameterError, match="finite clip"):
        pair(clip)


def test_none_of_a_million_sums_proves_which_table_it_comes_from_and_a_naive_sum_often_does():
    size, noise = 1_000_000, 4.0
    mechanism = wide(noise, width=size)
    steps = np.full(size, round(0.75 / mechanism.grid))
    released = mechanism.release(np.zeros(size, dtype=np.int64), stream(9))
    assert proofs(released, 0.75) == 0
    parity = np.rint(mechanism.release(steps, stream(9)) / mechanism.grid).astype(np.int64) & 1
    assert abs(int(parity.sum()) - size / 2) < 5 * math.sqrt(size) / 2
    naive = 0.0 + noise * np.random.default_rng(1).normal(size=size)
    assert proofs(naive, 0.75) > 0.05 * size
