"""Interactions: what one row moves, the law of the noise, and a price that holds for every tiny table."""

import math
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, gaussian_cdf, noise_of, p_of_noise, proofs, stream
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import Gaussian
from understudy.privacy.gdp import mu_of_counts
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.interactions import CountInteractions

PAIR = Margin(("a", "b"), (1, 2))  # two cells by three
SQUARE = Margin(("a", "b"), (1, 1))
CELLS = list(product(range(2), range(3)))


def columns_of(rows):
    codes = np.array(rows, dtype=np.int32).reshape(-1, 2)
    return {"a": codes[:, 0], "b": codes[:, 1]}


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_every_neighbour_of_every_tiny_table_is_at_exactly_the_stated_distance(size):
    mechanism = CountInteractions((PAIR,), Gaussian(5.0))
    for rows in combinations_with_replacement(CELLS, size):
        before = mechanism.statistic(columns_of(rows))
        for row in CELLS:
            gap = mechanism.statistic(columns_of([*rows, row])) - before
            assert int((gap**2).sum()) == 2 * 1 * 3 * 2
            assert mechanism.distance(before, before + gap) == mechanism.sensitivity.value


def test_several_tables_move_together():
    mechanism = CountInteractions((PAIR, SQUARE), Gaussian(5.0, 2))
    assert mechanism.sensitivity.value == pytest.approx(math.sqrt(12 + 4))
    before, after = (mechanism.statistic(columns_of(rows)) for rows in ([], [(1, 0)]))
    assert mechanism.distance(before, after) == pytest.approx(mechanism.sensitivity.value)


@given(st.lists(st.tuples(st.integers(-2, 3), st.integers(-1, 4)), max_size=40))
def test_what_is_left_adds_up_to_nought_and_is_the_table_less_its_margins(rows):
    mechanism = CountInteractions((PAIR,), Gaussian(5.0))
    found = mechanism.statistic(columns_of(rows)).reshape(2, 3)
    assert not found.sum(axis=0).any() and not found.sum(axis=1).any()
    counts = PAIR.count(columns_of(rows)).reshape(2, 3)
    lines, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    known = 6 * counts - 2 * lines - 3 * columns + counts.sum()
    assert np.array_equal(found, known)


@pytest.mark.parametrize("noise", [0.4, 20.0, 900.0])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(noise):
    tables, zeros = (SQUARE,) * 500, np.zeros(2_000, dtype=np.int64)
    scale = CountInteractions((SQUARE,), Gaussian(noise)).scale(SQUARE)
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        mechanism = CountInteractions(tables, Gaussian(noise * factor, len(tables)))
        found = np.concatenate([noise_of(mechanism, zeros, seed) for seed in range(20)])
        p = p_of_noise(found, gaussian_cdf(scale), scale)
        assert (p > 1e-3) if accepted else (p < ALPHA)


@pytest.mark.parametrize(
    ("shape", "shorter"), [((2, 2), 0.5), ((3, 3), 2 / 3), ((8, 8), 7 / 8), ((2, 9), 2 / 3)]
)
def test_the_noise_of_an_interaction_is_smaller_than_that_of_a_table_at_its_price(shape, shorter):
    table = Margin(("a", "b"), tuple(size - 1 for size in shape))
    scale = CountInteractions((table,), Gaussian(50.0)).scale(table)
    assert scale / math.prod(shape) == pytest.approx(shorter * 50, rel=1e-4)


def delta_of(scale, epsilon, moved=(1, -1, -1, 1)):
    """The divergence of two neighbours, added up over all values of the sum that tells them apart best."""
    reach = math.ceil(12 * scale)
    law = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * scale**2))
    law /= law.sum()
    whole = np.array([1.0])
    for _ in moved:  # every number moves by 1 either way, and noise is symmetric: the sum of four of them
        whole = np.convolve(whole, law)
    shift = len(moved)
    low, high = np.pad(whole, (0, shift)), np.pad(whole, (shift, 0))
    return float(np.maximum(high - math.exp(epsilon) * low, 0.0).sum())


@pytest.mark.parametrize("noise", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
def test_the_price_of_a_square_is_no_less_than_the_divergence_of_two_neighbours(noise, epsilon):
    mechanism = CountInteractions((SQUARE,), Gaussian(noise))
    priced, scale = account((mechanism.event,)).delta(epsilon), mechanism.scale(SQUARE)
    assert delta_of(scale, epsilon) <= priced * (1 + 1e-9)
    assert noise < 1 or priced <= delta_of(scale, epsilon) * 1.05 + 1e-9
    assert delta_of(0.8 * scale, epsilon) > priced  # noise by the cells' own part, f^2, would be too little


def test_the_scale_meets_the_price_by_the_reach_of_a_row():
    table = Margin(("a", "b", "c"), (2, 3, 1))
    mechanism = CountInteractions((table,), Gaussian(7.0))
    reach = math.sqrt(3 * 2 * 4 * 3 * 2 * 1)
    assert mu_of_counts(mechanism.scale(table)) * reach <= 1 / 7
    assert mu_of_counts(0.999 * mechanism.scale(table)) * reach > 1 / 7


def test_the_price_of_several_tables_agrees_with_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as pld

    event = CountInteractions((PAIR,) * 4, Gaussian(9.0, 4)).event
    theirs = pld.from_gaussian_mechanism(9.0).self_compose(4).get_epsilon_for_delta(1e-6)
    assert account((event,)).epsilon(1e-6) == pytest.approx(theirs, rel=1e-3)


def test_the_noise_does_not_depend_on_the_counts_and_no_release_proves_its_table():
    tables, low = (SQUARE,) * 2_000, np.zeros(8_000, dtype=np.int64)
    mechanism = CountInteractions(tables, Gaussian(3.0, 2_000))
    high = np.tile([10**12, -(10**12), -(10**12), 10**12], 2_000)
    assert np.array_equal(noise_of(mechanism, low, 3), noise_of(mechanism, high, 3))
    released = np.concatenate([each.ravel() for each in mechanism.release(low, stream(7))])
    assert released.dtype == np.int64 and proofs(released.astype(np.float64), 1.0) == 0


def test_a_column_of_one_cell_leaves_nothing_to_tell():
    table = Margin(("a", "b"), (0, 4))
    mechanism = CountInteractions((table,), Gaussian(2.0))
    statistic = mechanism.statistic(columns_of([(0, 1), (-1, 3), (5, 0)]))
    assert not statistic.any() and not mechanism.release(statistic, stream(1))[0].any()


def test_tables_that_are_not_paid_for_are_refused():
    with pytest.raises(ParameterError, match="2 tables at the price of 1"):
        CountInteractions((PAIR,) * 2, Gaussian(3.0))
