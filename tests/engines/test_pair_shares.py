"""Which pairs of codes are counted, and how."""

import numpy as np
import pytest

from understudy.engines.pair_shares import PARTS, Pair, amiss, cells_of, joined, never, strongest


def test_shares_are_those_of_the_rows_and_the_strongest_pairs_are_kept(monkeypatch):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 3_000)
    b = np.where(rng.random(3_000) < 0.9, a, 0)
    noise = rng.integers(0, 2, (3_000, 2))
    codes, sizes = np.column_stack([noise, a, b]), (2, 2, 3, 3)
    monkeypatch.setattr("understudy.engines.pair_shares._PAIRS", 1)
    (pair,) = strongest(codes, sizes, 4)
    assert (pair.first, pair.second) == (2, 3)
    table = np.zeros((3, 3))
    np.add.at(table, (a, b), 1 / 3_000)
    np.testing.assert_allclose(pair.shares, table.ravel())


def test_a_pair_with_many_cells_or_few_rows_is_left_alone():
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 40, (3_000, 2))
    assert strongest(wide, (40, 40), 2) == ()
    assert strongest(rng.integers(0, 2, (60, 2)), (2, 2), 2) == ()


def test_the_joined_code_names_the_cell_whose_share_is_held():
    codes = np.random.default_rng(1).integers(0, 2, (500, 3))
    pairs = strongest(codes, (2, 2, 2), 3)
    for place, pair in enumerate(pairs):
        found = np.bincount(joined(codes, pairs, (2, 2, 2))[:, place], minlength=4) / 500
        np.testing.assert_array_equal(found, pair.shares)
    assert joined(codes, (), (2, 2, 2)).shape == (500, 0)
    assert joined(codes, [Pair(0, 2, np.ones(4))], (2, 2, 2)).max() <= 3


def test_common_codes_that_no_row_has_together_are_never_and_rare_ones_are_half_a_row():
    first = np.repeat([0, 1, 2], [700, 290, 10])
    second = np.where(first == 0, 0, 1)  # neither 1 and 0 nor 2 and 0, though of the latter few are expected
    codes = np.column_stack([first, second])
    (pair,) = strongest(codes[np.random.default_rng(0).permutation(1_000)], (3, 2), 2)
    assert [share == 0 for share in pair.shares] == [False, True, True, False, False, False]
    assert pair.shares[4] == pytest.approx(0.5 / 1_000.5)
    assert never(np.array([[0, 1], [1, 0], [2, 0], [2, 1]]), [pair], (3, 2)).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_a_right_law_is_seldom_called_amiss_and_a_wrong_one_is_caught():
    rng = np.random.default_rng(2)
    law = np.array([0.4, 0.1, 0.05, 0.45])
    pair = Pair(0, 1, law)

    def drawn(shares):
        cells = rng.choice(4, 5_000, p=shares)
        return np.column_stack([cells // 2, cells % 2])

    alarms = sum(len(amiss(drawn(law), [pair], (2, 2))) for _ in range(300))
    assert alarms <= 80  # 15 % are expected; more than 80 of 300 have a chance below 1e-6
    wrong = law + np.array([0.03, -0.03, -0.03, 0.03])
    assert all(amiss(drawn(wrong), [pair], (2, 2)) for _ in range(20))


def test_numbers_are_cut_by_rank_whatever_their_law():
    rng = np.random.default_rng(3)
    numbers = np.column_stack([rng.normal(size=800), rng.exponential(size=800)]).astype(np.float32)
    cells = cells_of(np.zeros((800, 0), np.int64), numbers)
    for column in cells.T:
        assert np.bincount(column, minlength=PARTS).tolist() == [100] * PARTS
    assert cells[numbers[:, 0].argmax(), 0] == PARTS - 1


def test_a_number_and_a_code_are_a_pair_and_two_numbers_are_none():
    rng = np.random.default_rng(4)
    number = rng.normal(size=3_000)
    code = (number > 0).astype(np.int64)[:, None]
    numbers = np.column_stack([number, -number]).astype(np.float32)
    found = strongest(cells_of(code, numbers), (2, PARTS, PARTS), 1)
    assert {(pair.first, pair.second) for pair in found} == {(0, 1), (0, 2)}
