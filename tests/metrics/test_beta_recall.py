import numpy as np
import pyarrow as pa
import pytest

from understudy.metrics import beta_recall
from understudy.metrics.beta_recall import BetaRecall
from understudy.table.evidence import Evidence


def cells(rows, seed):
    return np.random.default_rng(seed).standard_normal((rows, 4))


def frame(matrix):
    return pa.table({name: matrix[:, place] for place, name in enumerate("abcd")})


REAL = cells(2_000, 0)
HALF = np.concatenate([REAL[:1_000], cells(1_000, 1)])


def recall(real, synthetic):
    return beta_recall.recall(real, synthetic, (np.arange(len(real)), np.arange(len(synthetic))))


def judge(synthetic, train=REAL, **settings):
    return BetaRecall(**{"halves": 4, "nulls": 2, "asked": 500, **settings})(
        Evidence(train=frame(train), synthetic=frame(synthetic))
    )


def test_an_exact_copy_is_fully_recalled_and_not_authentic():
    score = recall(REAL, REAL)
    assert score.value == pytest.approx(1, abs=1e-12)
    assert score.parts == {"covered": 1.0, "tied": 0.0, "authenticity": 0.0}


def test_a_fresh_sample_scores_one_half():
    score = recall(REAL, cells(2_000, 1))
    assert score.value == pytest.approx(0.50, abs=0.03)
    assert score.parts["authenticity"] == pytest.approx(0.45, abs=0.04)


def test_half_copies_score_between_a_fresh_sample_and_a_copy():
    score = recall(REAL, HALF)
    assert score.value == pytest.approx(0.74, abs=0.03)
    # Public code counts a tie in full, here with a copy of the nearest other row: 0.82.
    assert score.parts["covered"] + score.parts["tied"] / 2 == pytest.approx(0.82, abs=0.03)
    assert score.parts["authenticity"] == pytest.approx(0.23, abs=0.03)


def test_authenticity_asks_the_real_row_that_is_nearest_not_the_one_of_the_same_number():
    # Real rows 0, 10, 11: row 0 is lonely. The synthetic row 2 is nearest to 0, and closer than 10 is.
    real, synthetic = np.array([[0.0], [10.0], [11.0]]), np.array([[30.0], [30.0], [2.0]])
    # 30 is farther from 11 than 10 is, twice: authentic. 2 is not. By its own number, 2, it would be: 2 > 1.
    assert recall(real, synthetic).parts["authenticity"] == pytest.approx(2 / 3)


def test_a_copy_is_seen_however_few_rows_are_asked():
    assert judge(REAL, asked=100).parts["authenticity"] == 0


def test_the_target_of_one_half_is_what_the_null_shows():
    result = judge(cells(2_000, 1))
    assert result.better == "null" and result.null == pytest.approx(0.5, abs=0.08)
    assert abs(result.value - result.null) < 0.08
    assert "the target is about 0.5" in result.notes[0]
    assert "500 of 2,000 rows of each table were asked for their neighbours" in result.notes


def test_a_copy_is_as_far_from_the_null_as_a_shifted_table():
    copy, shifted = judge(REAL), judge(REAL + 3)
    assert copy.low > copy.null + 0.2
    assert shifted.high < shifted.null - 0.2


def test_of_two_coarse_samples_ties_count_half_and_the_target_stays():
    rng = np.random.default_rng(0)
    one, other = (rng.integers(0, 3, (1_000, 2)).astype(float) for _ in range(2))
    assert recall(one, other).parts == {"covered": 0.5, "tied": 1.0, "authenticity": 0.5}


def test_tables_of_different_sizes_are_cut_to_the_smaller():
    small = cells(300, 1)
    assert judge(small).value == pytest.approx(0.5, abs=0.12)
    assert judge(cells(2_000, 7), train=small).value == pytest.approx(0.5, abs=0.12)


def test_a_table_too_small_for_neighbours_is_undefined_with_a_reason():
    for result in (judge(REAL[:1]), judge(REAL[:1], train=REAL[:1])):
        assert np.isnan(result.value) and "undefined: a table has fewer than 2 rows" in result.notes[0]


@pytest.mark.parametrize("rows", [2, 3])
def test_of_two_or_three_rows_the_value_is_defined(rows):
    result = judge(REAL[:rows] + 0.1, train=REAL[:rows])
    assert -1 <= result.value <= 1 and 0 <= result.parts["authenticity"] <= 1
