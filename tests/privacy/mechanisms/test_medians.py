import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import stream
from understudy.missing import MISSING_STEP
from understudy.privacy.events import Selection
from understudy.privacy.mechanisms.medians import MedianScores, recursive_medians
from understudy.privacy.mechanisms.selection import ChooseInEach

EDGES = np.array([0, 10, 40, 100])
CUTS = np.array([[3, 5, 9], [11, 25, 39], [50, 60, 99]])
FREE = np.zeros((3, 3), dtype=bool)
steps = st.one_of(st.integers(-20, 130), st.just(MISSING_STEP), st.sampled_from([0, 10, 40, 100, 5, 25]))


def choose(epsilon=1.0, barred=FREE):
    return ChooseInEach(MedianScores("x", EDGES, CUTS, barred), Selection(epsilon))


def column(values):
    return {"x": np.array(values, dtype=np.int64)}


@given(st.lists(steps, max_size=30), steps)
def test_one_row_moves_the_scores_of_one_group_by_one_half(rows, row):
    mechanism = choose()
    before, after = (mechanism.statistic(column(table)) for table in (rows, [*rows, row]))
    gaps = np.abs(before - after)
    assert (gaps.max(axis=1) > 0).sum() == (0 if row == MISSING_STEP else 1)
    assert mechanism.distance(before, after) <= mechanism.sensitivity.value == 0.5


@given(
    st.lists(st.one_of(st.floats(-1, 2), st.just(np.nan)), max_size=30),
    st.floats(allow_nan=True, allow_infinity=False),
)
def test_the_same_holds_for_floats(rows, row):
    scores = MedianScores("x", np.array([0.0, 0.3, 1.0]), np.array([[0.1, 0.2], [0.5, 0.9]]), FREE[:2, :2])
    mechanism = ChooseInEach(scores, Selection(1.0))
    before, after = (
        mechanism.statistic({"x": np.array(table, dtype=float)}) for table in (rows, [*rows, row])
    )
    assert mechanism.distance(before, after) <= 0.5


def test_the_best_cut_of_a_group_halves_its_rows():
    scores = choose().statistic(column([1, 2, 4, 6, 12, 30, 31, 32, 70]))
    assert scores.argmax(axis=1).tolist() == [0, 1, 0]
    assert scores[0].tolist() == [0, -1, -2]


def test_a_barred_cut_is_never_chosen_however_little_is_paid():
    barred = FREE.copy()
    barred[:, 1:] = True
    mechanism = choose(epsilon=1e-7, barred=barred)
    many = np.tile(mechanism.statistic(column([5] * 100)), (30_000, 1))
    assert set(np.unique(mechanism.release(many, stream(1)))) == {0}


def test_barred_cuts_have_the_same_score_in_every_table():
    barred = ~FREE
    mechanism = choose(barred=barred)
    assert np.array_equal(mechanism.statistic(column([])), mechanism.statistic(column([5] * 10_000)))


@pytest.mark.parametrize("rows", [[], [MISSING_STEP] * 40, [7]])
def test_no_rows_and_rows_without_a_value_score_alike(rows):
    scores = choose().statistic(column(rows))
    assert scores.shape == (3, 3)
    assert np.abs(scores).max() <= 0.5


def edges_from(values, ends, epsilon, depth=4):
    reads = []

    def read(mechanism):
        reads.append(mechanism)
        return mechanism.release(mechanism.statistic({"x": values}), stream(len(reads)))

    return recursive_medians(read, "x", ends, depth=depth, epsilon=epsilon), reads


def test_cuts_hold_about_equal_numbers_of_rows():
    values = np.random.default_rng(0).lognormal(0, 1, 20_000)
    edges, reads = edges_from(values, (0.0, 50.0), epsilon=1.0)
    shares = np.histogram(values, edges)[0] / len(values)
    assert len(reads) == 4
    assert [mechanism.event for mechanism in reads] == [Selection(1.0)] * 4
    assert len(edges) == 17
    assert shares.max() < 0.2


def test_a_range_of_a_few_whole_numbers_is_cut_into_single_ones():
    values = np.repeat(np.arange(5), 100)
    edges, reads = edges_from(values, (0, 5), epsilon=5.0)
    assert edges.tolist() == [0, 1, 2, 3, 4, 5]
    assert len(reads) == 4, "how often is read does not depend on what was found"


@pytest.mark.parametrize("ends", [(3, 4), (0, 2), (-(2**61), 2**61), (-(2**62) + 1, 2**62 - 1)])
def test_narrow_and_enormous_ranges_of_whole_numbers_are_cut_inside(ends):
    edges, _ = edges_from(np.array([3, 3, 3], dtype=np.int64), ends, epsilon=0.1)
    assert edges[0] == ends[0]
    assert edges[-1] == ends[1]
    assert edges.tolist() == sorted(set(edges.tolist()))


@pytest.mark.parametrize(
    "ends", [(0.0, np.nextafter(0.0, 1.0)), (-1e300, 1e300), (5.0, np.nextafter(5.0, 6.0))]
)
def test_narrow_and_enormous_ranges_of_floats_are_cut_inside(ends):
    edges, _ = edges_from(np.array([0.0, 5.0]), ends, epsilon=0.1)
    assert (edges[0], edges[-1]) == ends
    assert (np.diff(edges) > 0).all()
