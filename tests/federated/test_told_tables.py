import numpy as np
import pytest

from understudy.errors import InputError
from understudy.federated.message import Message
from understudy.federated.told_tables import Expected, read_tables

SHAPES = [(3, 4), (2, 5)]


def sent(*tables):
    return Message("tables", {}, {str(place): table for place, table in enumerate(tables)})


def noisy(rng, rows, sigma):
    """Return tables whose rows all lie in the first cell."""
    return sent(*(np.round(rng.normal(0, sigma, shape)) + rows * _first(shape) for shape in SHAPES))


def _first(shape):
    found = np.zeros(shape)
    found[0, 0] = 1.0
    return found


def test_honest_tables_are_taken_with_any_noise():
    rng = np.random.default_rng(0)
    for sigma in (0.0, 1.0, 30.0):
        for rows in (0.0, 5.0, 10_000.0):
            for _ in range(300):
                told = rows + rng.normal(0, sigma)
                found = read_tables(noisy(rng, rows, sigma), SHAPES, Expected(told, sigma, sigma))
                assert [each.shape for each in found] == SHAPES


def test_a_number_of_rows_may_be_rounded():
    answer = noisy(np.random.default_rng(0), 953.0, 0.0)
    assert len(read_tables(answer, SHAPES, Expected(1_000.0, 0.0, 0.0))) == 2


def test_a_count_that_noise_cannot_explain_is_refused():
    table = np.full((3, 4), 100.0)
    for value, sigma in ((-1.0, 0.0), (-80.0, 10.0), (-1e308, 10.0)):
        odd = table.copy()
        odd[0, 0] = value
        with pytest.raises(InputError, match="deviations of its noise below 0"):
            read_tables(sent(odd), SHAPES[:1], Expected(1_200.0, sigma, 0.0))
    table[0, 0] = -40.0
    assert read_tables(sent(table), SHAPES[:1], Expected(1_200.0, 10.0, 0.0))


@pytest.mark.parametrize("value", [1e308, 1e12, 150.0, 50.0, 0.0])
def test_counts_of_other_rows_than_were_told_are_refused(value):
    with pytest.raises(InputError, match="number of rows"):
        read_tables(sent(np.full((3, 4), value)), SHAPES[:1], Expected(1_200.0, 1.0, 2.0))


@pytest.mark.parametrize(
    "odd",
    [
        sent(np.zeros((3, 4))),
        sent(np.zeros((3, 4)), np.zeros((2, 5)), np.zeros(1)),
        sent(np.zeros((3, 4)), np.zeros((5, 2))),
        sent(np.zeros((3, 4)), np.full((2, 5), np.inf)),
        sent(np.zeros((3, 4)), np.zeros((2, 5), np.int64)),
    ],
    ids=["fewer", "more", "shape", "infinite", "type"],
)
def test_tables_that_were_not_asked_for_are_refused(odd):
    with pytest.raises(InputError, match="tables"):
        read_tables(odd, SHAPES, Expected(0.0, 1.0, 1.0))
