"""The search on a device finds what the search on a processor finds; here it runs on one."""

import numpy as np
import pytest

from understudy.engines.neighbours import on_device
from understudy.engines.neighbours.on_device import ShortestOnDevice, has_device
from understudy.engines.neighbours.search import nearest
from understudy.engines.neighbours.vectors import Vectors
from understudy.errors import ParameterError


def rows(count, seed, scale=1.0, width=7):
    return np.random.default_rng(seed).standard_normal((count, width)) * scale


def assert_same(queries, candidates):
    expected = nearest(Vectors(queries), Vectors(candidates)).distances[:, 0]
    np.testing.assert_allclose(ShortestOnDevice(queries, "cpu")(candidates), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e5])
def test_ways_are_as_short_as_on_a_processor(scale):
    assert_same(rows(60, 0, scale), rows(80, 1, scale))


def test_candidates_far_from_zero_that_differ_in_the_last_digits_are_told_apart():
    queries = rows(30, 0) * 1e-4 + 1e3
    candidates = np.concatenate([queries + 1e-6, queries[::2]])
    found = ShortestOnDevice(queries, "cpu")(candidates)
    assert (found[::2] == 0).all() and (found[1::2] > 0).all()
    assert_same(queries, candidates)


def test_many_equal_candidates_and_small_blocks_change_nothing(monkeypatch):
    monkeypatch.setattr(on_device, "_BOUNDS", 40)
    monkeypatch.setattr(on_device, "_COORDINATES", 30)
    levels = np.random.default_rng(0).integers(2, size=(90, 4)).astype(float)
    assert_same(levels[:40], levels[40:])


def test_one_search_serves_many_sets():
    find = ShortestOnDevice(rows(5, 0), "cpu")
    assert not np.array_equal(find(rows(9, 1)), find(rows(9, 2)))


def test_candidates_of_other_columns_or_none_are_refused():
    find = ShortestOnDevice(rows(5, 0), "cpu")
    for candidates in (rows(0, 1), rows(4, 1, width=3)):
        with pytest.raises(ParameterError, match="columns of the queries"):
            find(candidates)


def test_no_queries_have_no_distances():
    assert ShortestOnDevice(rows(0, 0), "cpu")(rows(4, 1)).shape == (0,)


def test_whether_there_is_a_device_is_a_plain_answer():
    assert has_device() in (True, False)
