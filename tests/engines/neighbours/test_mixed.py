import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.neighbours.mixed import Mixed
from understudy.errors import ParameterError

NAN = np.nan


def rows(quantities, codes=None, spans=None):
    quantities = np.array(quantities, dtype=np.float64).reshape(len(quantities), -1)
    codes = np.zeros((len(quantities), 0)) if codes is None else np.array(codes).reshape(len(codes), -1)
    spans = np.ones(quantities.shape[1]) if spans is None else np.array(spans, dtype=np.float64)
    return Mixed(quantities, codes.astype(np.int32), spans)


def distance(one, other):
    return float(other.facing(one).lengths(0, np.array([0]))[0])


def test_a_level_that_differs_counts_1_and_half_a_range_counts_a_half():
    assert distance(rows([[2.0]], [[0]], [10]), rows([[7.0]], [[1]], [10])) == 1.5


def test_both_missing_counts_0_and_one_missing_counts_1():
    for known in (0.0, 123.0):
        assert distance(rows([[NAN]]), rows([[known]])) == distance(rows([[known]]), rows([[NAN]])) == 1
    assert distance(rows([[NAN]]), rows([[NAN]])) == 0
    assert distance(rows([[0.0]], [[-1]]), rows([[0.0]], [[-1]])) == 0
    assert distance(rows([[0.0]], [[-1]]), rows([[0.0]], [[0]])) == 1


def test_no_column_counts_for_more_than_1():
    assert distance(rows([[0.0]]), rows([[50.0]])) == 1
    huge = np.finfo(np.float64).max / 4
    assert distance(rows([[-huge]], spans=[1e-3]), rows([[huge]], spans=[1e-3])) == 1


def test_equal_differences_to_either_side_are_ties():
    ages = np.arange(0, 200, dtype=np.float64)
    facing = rows(ages, spans=[73]).facing(rows([[100.0]], spans=[73]))
    found = facing.lengths(0, np.arange(200))
    assert (found[100:200] == found[100:0:-1]).all()


def test_the_distance_is_a_metric():
    rng = np.random.default_rng(3)
    table = rows(
        np.where(rng.random((40, 2)) < 0.2, NAN, rng.random((40, 2)) * 3), rng.integers(-1, 3, (40, 2))
    )
    facing = table.facing(table)
    all_ways = np.array([facing.lengths(i, np.arange(40)) for i in range(40)])
    assert np.allclose(all_ways, all_ways.T) and (np.diag(all_ways) == 0).all()
    assert (all_ways[:, :, None] <= all_ways[:, None, :] + all_ways[None, :, :] + 1e-9).all()


cells = st.one_of(st.just(NAN), st.sampled_from([0.0, 1.0, 2.5, -1e300, 1e300, 1e-300]), st.floats(-3, 3))


@given(
    st.lists(st.tuples(cells, cells, st.integers(-1, 2), st.integers(-1, 400)), min_size=2, max_size=12),
    st.tuples(st.floats(1e-3, 1e3), st.floats(1e-300, 1)),
)
def test_the_bound_of_a_way_is_within_the_reach_of_its_length(drawn, spans):
    table = rows([row[:2] for row in drawn], [row[2:] for row in drawn], spans)
    facing = table.facing(table)
    bounds = facing.bounds(0, len(drawn))
    for query in range(len(drawn)):
        lengths = facing.lengths(query, np.arange(len(drawn)))
        assert all(bounds[query, j] <= facing.reach(lengths[j]) for j in range(len(drawn)))


@pytest.mark.parametrize(("columns", "kind"), [(64, np.int16), (65, np.int32), (400, np.int32)])
def test_bounds_of_wide_tables_do_not_overflow(columns, kind):
    far = rows(np.tile([[NAN], [-1e9], [1e9], [0.0]], columns), np.tile([[0], [1], [2], [3]], columns))
    facing = far.facing(far)
    bounds = facing.bounds(0, 4)
    assert bounds.dtype == (np.int32 if 2 * columns > 64 else kind)
    assert (np.diag(bounds) <= 0).all()
    assert bounds[0, 1] > 0 and facing.lengths(0, np.array([1])).tolist() == [2 * columns]


def test_the_order_is_that_of_the_cells_and_equal_rows_stay_as_they_stand():
    table = rows([[2.0], [NAN], [1.0], [1.0]], [[1], [0], [1], [1]])
    assert table.order().tolist() == [1, 2, 3, 0]
    assert rows(np.zeros((3, 0))).order().tolist() == [0, 1, 2]


def test_other_columns_or_spans_are_refused():
    with pytest.raises(ParameterError, match="different columns or spans"):
        rows([[1.0]], spans=[1]).facing(rows([[1.0]], spans=[2]))
    with pytest.raises(ParameterError, match="one span above 0"):
        rows([[1.0]], spans=[0])
    with pytest.raises(ParameterError, match="different lengths"):
        Mixed(np.zeros((2, 0)), np.zeros((1, 0), np.int32), np.zeros(0))
