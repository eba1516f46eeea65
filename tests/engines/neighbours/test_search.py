import numpy as np
import pytest

from understudy.engines.neighbours.mixed import Mixed
from understudy.engines.neighbours.search import nearest, nearest_others, ranked, shortest_from, within
from understudy.engines.neighbours.vectors import Vectors
from understudy.errors import ParameterError

NAN = np.nan


def mixed_rows(rng, rows, quantities=3, codes=3, few=5):
    numbers = np.round(rng.random((rows, quantities)) * few) / few  # coarse, so that there are many ties
    numbers[rng.random(numbers.shape) < 0.1] = NAN
    return Mixed(numbers, rng.integers(-1, 3, (rows, codes)).astype(np.int32), np.full(quantities, 0.8))


def vectors(rng, rows, columns=6):
    return Vectors(np.round(rng.standard_normal((rows, columns)) * 2) / 2)


def mixed_ways(queries, candidates):
    """The definition, cell by cell."""
    gap = np.abs(queries.quantities[:, None] - candidates.quantities[None]) / candidates.spans
    holes = np.isnan(queries.quantities)[:, None].astype(int) + np.isnan(candidates.quantities)[None]
    apart = np.where(holes == 2, 0, np.where(holes == 1, 1, np.minimum(gap, 1)))
    return apart.sum(axis=2) + (queries.codes[:, None] != candidates.codes[None]).sum(axis=2)


def straight_ways(queries, candidates):
    return np.sqrt(((queries.matrix[:, None] - candidates.matrix[None]) ** 2).sum(axis=2))


def cells(points, rows):
    if isinstance(points, Vectors):
        return points.matrix[rows]
    return np.concatenate([points.quantities[rows], points.codes[rows]], axis=-1)


KINDS = {"mixed": (mixed_rows, mixed_ways), "vectors": (vectors, straight_ways)}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.mark.parametrize(
    ("queries", "candidates", "k"), [(50, 1_500, 1), (50, 1_500, 7), (9, 5, 5), (3, 1, 1)]
)
def test_the_nearest_are_those_of_the_full_table_of_distances(kind, queries, candidates, k):
    make, ways = kind
    rng = np.random.default_rng(candidates + k)
    asked, known = make(rng, queries), make(rng, candidates)
    found, all_ways = nearest(asked, known, k), ways(asked, known)
    assert np.allclose(found.distances, np.sort(all_ways, axis=1)[:, :k], atol=1e-9)
    assert np.allclose(np.take_along_axis(all_ways, found.rows, axis=1), found.distances, atol=1e-9)
    assert all(len(set(row)) == k for row in found.rows.tolist())


def test_the_rows_found_do_not_depend_on_the_order_of_the_candidates(kind):
    make, _ = kind
    rng = np.random.default_rng(0)
    asked, known = make(rng, 60), make(rng, 400)
    shuffle = rng.permutation(400)
    one, other = nearest(asked, known, 5), nearest(asked, known.take(shuffle), 5)
    assert (one.distances == other.distances).all()
    assert np.array_equal(cells(known, one.rows), cells(known, shuffle[other.rows]), equal_nan=True)


def test_the_rows_found_do_not_depend_on_the_order_of_the_queries(kind):
    make, _ = kind
    rng = np.random.default_rng(0)
    asked, known = make(rng, 60), make(rng, 400)
    shuffle = rng.permutation(60)
    assert (nearest(asked, known, 3).rows[shuffle] == nearest(asked.take(shuffle), known, 3).rows).all()


def test_of_equal_candidates_the_first_that_stands_is_nearer():
    twins = Vectors(np.array([[1.0], [0.0], [1.0], [0.0]]))
    assert nearest(Vectors(np.array([[0.5]])), twins, 4).rows.tolist() == [[1, 3, 0, 2]]


def test_a_row_is_its_own_nearest_but_not_its_own_neighbour(kind):
    make, ways = kind
    table = make(np.random.default_rng(0), 300)
    assert (nearest(table, table).distances == 0).all()
    others = nearest_others(table, 2)
    assert (others.rows != np.arange(300)[:, None]).all()
    all_ways = ways(table, table)
    np.fill_diagonal(all_ways, np.inf)
    assert np.allclose(others.distances, np.sort(all_ways, axis=1)[:, :2], atol=1e-9)


def test_a_twin_is_a_neighbour_at_no_distance_even_among_many():
    found = nearest_others(Vectors(np.zeros((9, 2))), 2)
    assert (found.distances == 0).all() and (found.rows != np.arange(9)[:, None]).all()


def test_the_counts_within_the_distance_of_the_kth_neighbour_surround_k(kind):
    make, ways = kind
    rng = np.random.default_rng(5)
    asked, known = make(rng, 80), make(rng, 900)
    radii = nearest(asked, known, 6).distances[:, -1]
    counts, all_ways = within(asked, known, radii), ways(asked, known)
    assert (counts.closer < 6).all() and (counts.closer + counts.level >= 6).all()
    assert (counts.closer == (all_ways < radii[:, None] - 1e-9).sum(axis=1)).all()
    assert (counts.closer + counts.level == (all_ways < radii[:, None] + 1e-9).sum(axis=1)).all()


def test_ties_are_shared_alike_between_two_tables_that_are_counted_one_by_one():
    rng = np.random.default_rng(5)
    asked, one = mixed_rows(rng, 50), mixed_rows(rng, 200)
    radii = nearest(asked, one.take(np.tile(np.arange(200), 2)), 8).distances[:, -1]
    first, second = within(asked, one, radii), within(asked, one.take(np.arange(200)[::-1]), radii)
    assert (first.closer == second.closer).all() and (first.level == second.level).all()


def test_columns_that_nobody_has_leave_all_rows_alike():
    assert (
        nearest(Vectors(np.zeros((2, 0))), Vectors(np.zeros((3, 0))), 3).distances.tolist() == [[0.0] * 3] * 2
    )


@pytest.mark.parametrize("k", [0, 4])
def test_more_neighbours_than_candidates_are_refused(k):
    with pytest.raises(ParameterError, match="k must be from 1 to the 3 candidates"):
        nearest(Vectors(np.zeros((2, 1))), Vectors(np.zeros((3, 1))), k)


@pytest.mark.parametrize("radii", [np.zeros(1), np.array([0.0, np.inf])])
def test_radii_that_fit_no_query_are_refused(radii):
    with pytest.raises(ParameterError, match="one finite radius for each query"):
        within(Vectors(np.zeros((2, 1))), Vectors(np.zeros((3, 1))), radii)


def test_many_candidates_are_searched_in_blocks_that_stay_small():
    import tracemalloc

    rng = np.random.default_rng(0)
    asked, known = mixed_rows(rng, 300, few=10**6), mixed_rows(rng, 20_000, few=10**6)
    tracemalloc.start()
    nearest(asked, known)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000  # all 300 x 20,000 ways in float64 would take 48 MB


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 3, 40])
def test_ranked_candidates_are_all_that_are_no_farther_than_the_kth(kind, k):
    draw, ways = KINDS[kind]
    rng = np.random.default_rng(k)
    queries, candidates = draw(rng, 30), draw(rng, 40)
    for found, lengths in zip(ranked(queries, candidates, k), ways(queries, candidates), strict=True):
        near = np.round(lengths, 9)
        expected = np.flatnonzero(near <= np.sort(near)[k - 1])
        assert np.array_equal(np.sort(found.rows), expected)
        assert found.ranks.tolist() == [1 + (near < near[row]).sum() for row in found.rows]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", [False, True])
def test_the_shortest_way_is_that_to_the_nearest_candidate(kind, device, monkeypatch):
    from understudy.engines.neighbours import on_device

    # On a machine without one, the search for a device runs on the processor.
    here = on_device.ShortestOnDevice
    monkeypatch.setattr(on_device, "has_device", lambda: device)
    monkeypatch.setattr(on_device, "ShortestOnDevice", lambda queries: here(queries, "cpu"))
    draw, rng = KINDS[kind][0], np.random.default_rng(0)
    queries = draw(rng, 30)
    find = shortest_from(queries)
    for size in (1, 40, 700):
        candidates = draw(rng, size)
        expected = nearest(queries, candidates).distances[:, 0]
        np.testing.assert_allclose(find(candidates), expected, atol=1e-9)


def test_the_shortest_way_to_nothing_or_to_other_points_is_refused():
    find = shortest_from(Vectors(np.zeros((2, 1))))
    for other in (Vectors(np.zeros((0, 1))), mixed_rows(np.random.default_rng(0), 3)):
        with pytest.raises(ParameterError, match="neighbours"):
            find(other)


def test_ranked_refuses_more_neighbours_than_there_are():
    points = Vectors(np.zeros((2, 1)))
    with pytest.raises(ParameterError, match="k must be"):
        next(ranked(points, points, 3))
