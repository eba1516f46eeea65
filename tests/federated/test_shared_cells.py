import numpy as np
import pytest

from federated.parties import SCHEMA, table
from understudy.engines.margin import LevelMargin, QuantityMargin, fit_margins
from understudy.errors import InputError
from understudy.federated.domain import Domain
from understudy.federated.shared_cells import one_way_of, read_cells, read_pairs, shared_cells
from understudy.model.cells import Cells, cells_in
from understudy.table.columns import to_columns
from understudy.table.schema import Bounds

COLUMNS = to_columns(table(400), SCHEMA)
DOMAIN = Domain(SCHEMA, fit_margins(COLUMNS, {"town": 3}, 1_000), 400.0)


def cells(sigma=0.0, bins=8):
    return shared_cells(DOMAIN, fine=32, bins=bins, sigma=sigma, enough=3.0)


def test_quantities_are_cut_inside_their_bounds_and_every_value_has_a_cell():
    edges = cells()["age"].edges
    assert edges[0] == 0 and edges[-1] == 101 and (np.diff(edges) > 0).all()
    assert cells()["age"].size <= 9 and cells()["town"].size in (3, 4)


def test_tables_of_single_columns_follow_from_margins():
    found = cells()
    for place, measured in enumerate(one_way_of(DOMAIN.margins, found, 400.0, 1.0)):
        name = list(found)[place]
        exact = np.bincount(found[name].encode(COLUMNS[name]), minlength=found[name].size)
        assert measured.of == (place,) and measured.table.sum() == pytest.approx(400.0)
        assert np.abs(measured.table - exact).max() <= 12  # a light value lies on the line through it


def test_cells_that_noise_would_drown_are_merged():
    assert cells(sigma=30.0)["age"].size < cells(sigma=1.0)["age"].size


def test_cells_come_back_from_a_message():
    found = read_cells(cells_in(cells()), SCHEMA)
    assert np.array_equal(found["age"].edges, cells()["age"].edges)
    assert np.array_equal(found["town"].merged, cells()["town"].merged)


def odd(**changes):
    return {**cells_in(cells()), **changes}


@pytest.mark.parametrize(
    "arrays",
    [
        odd(**{"0.edges": np.array([0, 5, 5, 9])}),
        odd(**{"0.edges": np.array([0.0, 50.0, 101.0])}),
        odd(**{"0.merged": np.array([0, 1], np.int32)}),
        odd(**{"0.merged": cells()["age"].merged - 5}),
        odd(**{"0.merged": cells()["age"].merged.astype(np.int64)}),
        odd(**{"0.merged": cells()["age"].merged + 10**6}),
        odd(**{"1.merged": np.array([0, 0, 0, 16_383], np.int32)}),
        odd(**{"1.merged": np.array([0, 1, 3, 1], np.int32)}),
        odd(**{"1.merged": np.array([1, 2, 1, 2], np.int32)}),
        odd(**{"1.edges": np.array([0, 1, 2])}),
        odd(**{"1.merged": np.zeros(9, np.int32)}),
        {name: value for name, value in odd().items() if not name.startswith("1.")},
        {name: value for name, value in odd().items() if name != "0.edges"},
    ],
    ids=[
        "twice",
        "floats",
        "few",
        "below 0",
        "type",
        "many",
        "far",
        "hole",
        "from 1",
        "levels",
        "more levels",
        "none",
        "bare",
    ],
)
def test_cells_that_do_not_fit_the_schema_are_refused(arrays):
    with pytest.raises(InputError, match="cells"):
        read_cells(arrays, SCHEMA)


def test_cells_of_which_all_pairs_would_not_fit_are_refused():
    wide = SCHEMA.model_copy(
        update={
            "columns": tuple(
                SCHEMA.columns[0].model_copy(
                    update={"name": name, "bounds": Bounds(low=0, high=9_998, source="declared")}
                )
                for name in "ab"
            )
        }
    )
    places, edges = np.arange(10_000, dtype=np.int32), np.arange(10_000)
    arrays = {}
    for place in "01":
        arrays |= {f"{place}.merged": places, f"{place}.within": np.ones(10_000), f"{place}.edges": edges}
    with pytest.raises(InputError, match="all pairs do not fit"):
        read_cells(arrays, wide)
    arrays["0.merged"] = np.minimum(places, 9)
    assert read_cells(arrays, wide)["a"].size == 10


def test_pairs_are_pairs_and_no_more_than_a_tree_has():
    assert read_pairs([[0, 1], [1, 2]], 3) == [(0, 1), (1, 2)]
    for bad in (
        [],
        [[0, 1]] * 3,
        [[1, 0]],
        [[0, 3]],
        [[0, 0]],
        [[-1, 0]],
        [0, 1],
        [[0, 1, 2]],
        [[0, True]],
        [[0, 1.0]],
    ):
        with pytest.raises(InputError, match="pairs"):
            read_pairs(bad, 3)


def test_a_column_without_any_value_has_one_bin():
    nothing = QuantityMargin(np.array([0, 100]), np.zeros(2), np.zeros(2), 1.0)
    lone = Domain(SCHEMA, {"age": nothing, "town": LevelMargin.fit(np.zeros(4, np.int32), 3)}, 4.0)
    found = shared_cells(lone, fine=8, bins=8, sigma=0.0, enough=3.0)
    assert found["age"].edges.tolist() == [0, 101]
    assert isinstance(found["age"], Cells)


def test_a_heavy_value_has_a_bin_of_its_own():
    ages = np.concatenate([np.zeros(300), np.arange(100)]).astype(np.int64)
    heavy = Domain(SCHEMA, {**DOMAIN.margins, "age": QuantityMargin.fit(ages, 1_000)}, 400.0)
    found = shared_cells(heavy, fine=32, bins=8, sigma=0.0, enough=3.0)["age"]
    assert found.edges[:2].tolist() == [0, 1]
    drawn = found.decode(np.zeros(100, np.int32), np.random.default_rng(0))
    assert (drawn == 0).all()
