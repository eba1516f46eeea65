"""Streams: stable, independent, and without a trace in the global random state."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.rng import seed_of, stream

KNOWN = {
    (0,): [850624, 636961, 511136],
    (0, "sample"): [122543, 183485, 276884],
    (7, "fit", "histogram"): [942898, 129903, 124103],
    (2**128 - 1, "sample"): [147441, 491451, 853546],
}


def test_the_first_draws_are_known_so_that_a_change_of_seeds_is_noticed():
    assert {path: stream(*path).integers(10**6, size=3).tolist() for path in KNOWN} == KNOWN


def test_a_seed_without_names_is_numpys_own():
    assert stream(0).random(2).tolist() == np.random.default_rng(0).random(2).tolist()


def test_the_same_path_gives_the_same_stream_and_any_other_path_another():
    paths = [
        (0, "a"),
        (0, "b"),
        (1, "a"),
        (0, "a", "a"),
        (0, "ab"),
        (0, "a", "b"),
        (0,),
        (2**32, "a"),
        (0, ""),
    ]
    draws = {path: tuple(stream(*path).integers(2**63, size=4).tolist()) for path in paths}
    assert len(set(draws.values())) == len(paths)
    assert draws == {path: tuple(stream(*path).integers(2**63, size=4).tolist()) for path in paths}


def test_streams_of_different_names_are_uncorrelated():
    draws = np.stack([stream(0, f"column {i}").standard_normal(4_000) for i in range(20)])
    off = np.corrcoef(draws)[np.triu_indices(20, 1)]
    # 190 correlations with standard error 1 / sqrt(4000): one above 5.5 of them has odds below 1 in 10^5.
    assert np.abs(off).max() < 5.5 / np.sqrt(4_000)


@pytest.mark.parametrize("seed", [-1, 2**128, 1.0, "1", None, True, float("nan"), [1], b"1"])
def test_a_seed_that_is_no_whole_number_in_range_is_refused(seed):
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        stream(seed)


def test_numpy_integers_are_seeds_too():
    assert stream(np.int64(5), "a").random() == stream(5, "a").random()


def test_the_global_random_state_is_neither_read_nor_set():
    np.random.seed(1)  # noqa: NPY002
    first = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    stream(3, "a").random(10)
    assert np.random.random() == first  # noqa: NPY002


def test_a_stream_knows_its_seed_whatever_its_names_and_its_draws():
    rng = stream(5, "fit", "histogram")
    rng.random(3)
    assert seed_of(rng) == 5
    with pytest.raises(ParameterError, match="one whole number"):
        seed_of(np.random.default_rng([1, 2]))
