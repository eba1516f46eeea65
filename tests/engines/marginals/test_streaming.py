"""Counting from batches: the same tables as from all rows at once, in memory that does not grow."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.marginals import streaming as module
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.streaming import blocks_of, count_batches, every_pair


def _codes(rows, sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, rows).astype(np.int32) for size in sizes]


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=5),
    st.lists(st.integers(0, 40), min_size=0, max_size=4),
    st.data(),
)
def test_batches_give_the_tables_of_all_rows(sizes, lengths, data):
    sets = st.sets(st.integers(0, len(sizes) - 1), max_size=3).map(lambda each: tuple(sorted(each)))
    cliques = data.draw(st.lists(sets, max_size=5))
    batches = [_codes(length, sizes, seed) for seed, length in enumerate(lengths)]
    whole = [np.concatenate([np.zeros(0, np.int32), *parts]) for parts in zip(*batches, strict=True)]
    whole = whole or [np.zeros(0, np.int32) for _ in sizes]
    found = count_batches(iter(batches), cliques, sizes)
    assert set(found) == set(cliques)
    for of, table in found.items():
        np.testing.assert_array_equal(table, count(whole, of, sizes))


def test_a_batch_longer_than_a_slice_is_counted_in_slices(monkeypatch):
    monkeypatch.setattr(module, "SLICE", 7)
    codes = _codes(100, (3, 4))
    np.testing.assert_array_equal(
        count_batches([codes], [(0, 1)], (3, 4))[(0, 1)], count(codes, (0, 1), (3, 4))
    )


def test_one_pass_counts_several_pairs():
    pairs = every_pair(20)
    blocks = blocks_of(pairs, (32,) * 20)
    assert len(blocks) < len(pairs) / 2
    assert all(any(set(block) >= set(pair) for block in blocks) for pair in pairs)
    assert all(32 ** len(block) <= module.LARGEST_BLOCK for block in blocks)


def test_a_clique_that_is_too_large_is_a_block_of_its_own():
    assert blocks_of([(0, 1), (1, 2)], (1_000, 1_000, 2)) == [(0, 1), (1, 2)]


def test_the_number_of_rows_is_the_table_of_no_attribute():
    assert count_batches([_codes(9, (2,)), _codes(4, (2,))], [()], (2,))[()] == 13


@pytest.mark.parametrize("batches", [4, 16])
def test_memory_does_not_grow_with_the_rows(batches):
    sizes = (8,) * 6

    def stream():
        for seed in range(batches):
            yield _codes(50_000, sizes, seed)

    tracemalloc.start()
    count_batches(stream(), every_pair(6), sizes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20
