import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from understudy.codec.modes import Modes
from understudy.missing import MISSING_STEP

STEPS = st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1, max_size=30)
FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30)


def round_trip(coder, values, rng=None):
    block = coder.encode(values, rng)
    assert block.shape == (len(values), 1 + len(coder.weights))
    assert np.isfinite(block).all()
    assert (block[:, 1:].sum(axis=1) == 1).all()
    back = coder.decode(block)
    assert back.dtype == values.dtype == coder.dtype
    return back


@settings(max_examples=50)
@given(STEPS | FLOATS, st.booleans())
def test_values_come_back_whichever_mode_was_chosen(values, drawn):
    array = np.array(values)
    coder = Modes.fit(array, 5, np.random.default_rng(0))
    back = round_trip(coder, array, np.random.default_rng(1) if drawn else None)
    width = array.max() / 2 - array.min() / 2
    assert (np.abs(back / 2 - array / 2) <= width * 2.0**-22 + 5e-324).all()


@settings(max_examples=50)
@given(st.integers(-(2**61), 2**61), st.lists(st.integers(0, 2**21), min_size=1, max_size=30))
def test_steps_are_exact_in_a_range_of_two_million(origin, offsets):
    values = np.array(offsets) + origin
    assert round_trip(Modes.fit(values, 5, np.random.default_rng(0)), values).tolist() == values.tolist()


def planted(rng, rows):
    which = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    return which, rng.normal(np.array([-20.0, 0.0, 35.0])[which], np.array([1.0, 3.0, 0.5])[which])


def test_a_planted_mixture_is_recovered():
    rng = np.random.default_rng(0)
    which, values = planted(rng, 20_000)
    coder = Modes.fit(values, 10, rng)
    block = coder.encode(values, None)
    assert len(coder.weights) == 3
    assert (block[:, 1:].argmax(axis=1) == which).mean() > 0.999
    assert np.allclose(coder.weights, [0.5, 0.3, 0.2], atol=0.01)
    # A quarter of a standard normal: four deviations become one.
    assert abs(block[:, 0].std() - 0.25) < 0.01


def test_the_drawn_mode_follows_the_mixture_where_two_overlap():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 1, 30_000), rng.normal(3, 1, 10_000)])
    coder = Modes.fit(values, 2, rng)
    share = coder.encode(values, rng)[:, 1:].mean(axis=0)
    assert np.allclose(share, coder.weights, atol=0.01)
    assert not np.array_equal(coder.encode(values, rng), coder.encode(values, None))


def test_an_outlier_is_not_clipped():
    values = np.append(np.random.default_rng(0).normal(size=2_000), 12.0)
    coder = Modes.fit(values, 1, np.random.default_rng(0))
    assert coder.encode(values, None)[:, 0].max() > 1
    assert abs(round_trip(coder, values)[-1] - 12.0) < 1e-5


@pytest.mark.parametrize("drawn", [False, True])
def test_missing_entries_stand_at_or_near_a_mode(drawn):
    values = np.array([0, 0, 0, MISSING_STEP, 100, 100])
    coder = Modes.fit(np.array([0, 0, 0, 100, 100]), 5, np.random.default_rng(0))
    block = coder.encode(values, np.random.default_rng(0) if drawn else None)
    assert block[3, 1:].sum() == 1
    assert (block[3, 0] != 0) == drawn


def test_values_beyond_the_range_are_moved_to_its_end():
    coder = Modes.fit(np.array([1.0, 2.0, 3.0]), 2, np.random.default_rng(0))
    assert np.allclose(round_trip(coder, np.array([-9.0, 9.0])), [1.0, 3.0])
    far = np.zeros((1, 1 + len(coder.weights)))
    far[0, 0] = 1e6
    assert coder.decode(far).tolist() == [3.0]


@settings(max_examples=25)
@given(STEPS | FLOATS)
def test_a_mode_can_be_one_code(values):
    array, rng = np.array(values), np.random.default_rng
    wide, narrow = (Modes.fit(array, 5, rng(0), onehot=onehot) for onehot in (True, False))
    block = narrow.encode(array, rng(1))
    assert block.shape == (len(array), 2)
    assert np.array_equal(block[:, 1], wide.encode(array, rng(1))[:, 1:].argmax(axis=1))
    assert np.array_equal(narrow.decode(block), wide.decode(wide.encode(array, rng(1))))
    assert narrow.parts[1] == ("code", 1, len(narrow.weights))


def test_a_float_that_many_rows_share_comes_back_as_it_was():
    rng = np.random.default_rng(0)
    values = np.select(
        [rng.random(3_000) < 0.5, rng.random(3_000) < 0.2], [0.0, 1 / 3], rng.exponential(5e3, 3_000)
    )
    coder = Modes.fit(values, 10, rng)
    back = round_trip(coder, values, rng)
    assert coder.ties.tolist() == [0.0, 1 / 3]
    for tie in (0.0, 1 / 3):
        assert np.array_equal(back == tie, values == tie)


@pytest.mark.parametrize("far", [1e7, 1e10, 1e14])
def test_one_value_far_out_does_not_widen_the_modes_of_the_others(far):
    rng = np.random.default_rng(0)
    values = np.append(rng.uniform(0, 100, 2_000), far)
    coder = Modes.fit(values, 10, rng)
    widths = coder.deviations[coder.weights > 0.01] * (far - values.min())
    assert widths.max() < 60
