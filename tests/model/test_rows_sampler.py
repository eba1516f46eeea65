import numpy as np
import pytest

from understudy.engines.condition import Among, Between
from understudy.engines.marginals.counting import count
from understudy.errors import NothingMatches
from understudy.model.cells import Cells
from understudy.model.rows_sampler import RowsSampler
from understudy.model.tables import ExactTables

SIZES = (3, 4)


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 500)
    columns = {"a": first.astype(np.int32), "b": rng.integers(0, 4, 500).astype(np.int32)}
    # One more cell than there are levels: for missing.
    cells = {
        name: Cells.of(np.append(np.ones(size) / size, 0.0), np.append(np.arange(size), 0).astype(np.int32))
        for name, size in zip("ab", SIZES, strict=True)
    }
    return ExactTables.of(cells, columns)


@pytest.fixture
def sampler(tables):
    return RowsSampler.of(tables, np.array(tables.codes))


def only(size, *allowed):
    return Among(np.isin(np.arange(size + 1), allowed))


def test_as_many_rows_as_there_are_give_exactly_these(tables, sampler):
    drawn = sampler.draw(500, np.random.default_rng(1), {})
    assert np.array_equal(count(list(drawn.values()), (0, 1), SIZES), count(tables.codes, (0, 1), SIZES))


@pytest.mark.parametrize("rows", [0, 1, 125, 1_700])
def test_other_numbers_of_rows_keep_every_cell_within_two_rows_of_its_share(tables, sampler, rows):
    drawn = sampler.draw(rows, np.random.default_rng(1), {})
    found = count(list(drawn.values()), (0, 1), SIZES)
    assert found.sum() == rows
    assert np.abs(found - count(tables.codes, (0, 1), SIZES) * rows / 500).max() <= 2


def test_under_a_condition_the_rows_that_satisfy_it_are_taken(tables, sampler):
    drawn = sampler.draw(3_000, np.random.default_rng(2), {"a": only(3, 1)})
    assert set(drawn["a"].tolist()) == {1}
    given = count(tables.codes, (0, 1), SIZES)[1]
    assert np.abs(np.bincount(drawn["b"], minlength=4) / 3_000 - given / given.sum()).max() < 0.002


def test_a_cell_weighs_the_share_of_it_that_satisfies_a_range():
    edges = np.array([0, 10, 20])
    cells = {"n": Cells.of(np.array([0.5, 0.5, 0.0]), np.array([0, 1, 0], dtype=np.int32), edges)}
    sampler = RowsSampler(cells, np.array([[0, 0, 1, 1]], dtype=np.int32))
    drawn = sampler.draw(1_100, np.random.default_rng(0), {"n": Between(9, 19)})["n"]
    assert drawn.min() >= 9 and drawn.max() <= 19
    assert abs(int((drawn == 9).sum()) - 100) <= 1


def test_conditions_that_no_row_satisfies_together_hold_nevertheless():
    cells = {name: Cells.of(np.array([0.5, 0.5, 0.0]), np.array([0, 1, 0], dtype=np.int32)) for name in "ab"}
    sampler = RowsSampler(cells, np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.int32))
    drawn = sampler.draw(50, np.random.default_rng(0), {"a": only(2, 0), "b": only(2, 1)})
    assert set(drawn["a"].tolist()) == {0} and set(drawn["b"].tolist()) == {1}


def test_a_condition_that_no_learned_value_satisfies_is_refused(sampler):
    with pytest.raises(NothingMatches, match="'a'"):
        sampler.draw(5, np.random.default_rng(0), {"a": Among(np.zeros(4, dtype=bool))})


def test_what_is_written_down_draws_the_same_rows(sampler):
    again = RowsSampler.restore(*sampler.state())
    first, second = (s.draw(77, np.random.default_rng(3), {"b": only(4, 2)}) for s in (sampler, again))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_a_table_without_columns_draws_none():
    empty = RowsSampler({}, np.zeros((0, 5), dtype=np.int32))
    assert empty.draw(3, np.random.default_rng(0), {}) == {}
