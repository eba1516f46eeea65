"""A table is what its columns say and what only both together do."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.marginals.interactions import completed, interaction, numbers_read, pays

shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))


@given(shapes, st.integers(0, 1_000))
def test_an_interaction_and_the_margins_make_the_table_again(shape, seed):
    table = np.random.default_rng(seed).uniform(0.1, 9, shape)
    both = interaction(table)
    assert np.abs(both.sum(axis=0)).max() < 1e-9 and np.abs(both.sum(axis=1)).max() < 1e-9
    again = completed(both, [table.sum(axis=1), table.sum(axis=0)], table.sum())
    assert again == pytest.approx(table)


def test_margins_of_unlike_sums_are_scaled_to_the_total():
    found = completed(np.zeros((2, 3)), [np.array([1.0, 3.0]), np.array([2.0, 2.0, 4.0])], 40.0)
    assert found.sum(axis=1) == pytest.approx([10, 30]) and found.sum(axis=0) == pytest.approx([10, 10, 20])


def test_what_noise_adds_to_the_sums_of_an_interaction_is_taken_off():
    both = np.array([[5.0, 1.0], [1.0, 1.0]])
    assert completed(both, [np.full(2, 4.0)] * 2, 8.0).sum(axis=0) == pytest.approx([4, 4])


@given(shapes)
def test_an_interaction_is_read_where_it_is_the_smaller_half_of_its_table(shape):
    told = (shape[0] - 1) * (shape[1] - 1)
    whole = shape[0] * shape[1]
    assert pays(*shape) == (told <= whole / 2)
    assert numbers_read(*shape) == (told if pays(*shape) else whole)
