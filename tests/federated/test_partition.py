import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.federated.partition import PARTED, by_column, dirichlet, iid

RNG = np.random.default_rng(0)
TOWNS = np.array(["A", "B", "C", "D"])[RNG.choice(4, 400, p=[0.5, 0.25, 0.15, 0.1])]
TABLE = pa.table({"id": range(400), "town": TOWNS})

SPLITS = {
    "iid": lambda sites: iid(TABLE, sites, seed=1),
    "by column": lambda sites: by_column(TABLE, sites, "town"),
    "dirichlet": lambda sites: dirichlet(TABLE, sites, "town", alpha=0.5, seed=1),
}


def ids(part):
    return part.to_arrow().column("id").to_pylist()


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
@pytest.mark.parametrize("sites", [1, 3, 5, 10])
def test_every_row_is_at_one_site_in_its_order_and_no_site_is_empty(split, sites):
    parts = split(sites)
    assert len(parts) == sites and min(map(len, parts)) > 0
    assert sorted(number for part in parts for number in ids(part)) == list(range(400))
    assert all(ids(part) == sorted(ids(part)) for part in parts)


def test_random_sites_are_equal_and_a_seed_decides_them():
    assert {len(part) for part in iid(TABLE, 3)} == {133, 134}
    assert ids(iid(TABLE, 3, seed=1)[0]) == ids(iid(TABLE, 3, seed=1)[0]) != ids(iid(TABLE, 3, seed=2)[0])


def test_a_level_lies_at_one_site_while_there_are_enough():
    parts = by_column(TABLE, 3, "town")
    held = [set(part.to_arrow().column("town").to_pylist()) for part in parts]
    assert sum(len(each) for each in held) == 4 and set.union(*held) == set("ABCD")


def test_sites_by_column_are_unequal_as_the_levels_are():
    sizes = sorted(len(part) for part in by_column(TABLE, 4, "town"))
    assert sizes == sorted(np.unique(TOWNS, return_counts=True)[1].tolist())


def test_a_smaller_alpha_leaves_levels_to_fewer_sites():
    def largest(alpha):
        shares = []
        for seed in range(10):
            parts = dirichlet(TABLE, 5, "town", alpha=alpha, seed=seed)
            counts = [part.to_arrow().column("town").to_pylist().count("A") for part in parts]
            shares.append(max(counts) / sum(counts))
        return np.mean(shares)

    assert largest(0.1) > largest(1.0) > largest(100.0) > 0.2


def test_missing_values_are_a_level_of_their_own():
    held = pa.table({"a": ["x", None, "x", None, "y"]})
    parts = by_column(held, 3, "a")
    assert sorted(len(set(part.to_arrow().column("a").to_pylist())) for part in parts) == [1, 1, 1]


@pytest.mark.parametrize("how", ["column", "random"])
def test_one_row_more_may_move_others_so_a_split_is_stated_as_a_condition(how):
    def split(rows):
        held = pa.table({"id": range(rows, 0, -1), "town": ["A"] * (rows - 4) + ["B"] * 2 + ["C", "D"]})
        return by_column(held, 2, "town") if how == "column" else iid(held, 2)

    before, after = ([set(ids(part)) for part in split(rows)] for rows in (6, 7))
    assert sum(len(left ^ right) for left, right in zip(before, after, strict=True)) > 1
    assert "one row more or less leaves all other rows at their sites" in PARTED


def test_whole_numbers_that_only_an_unsigned_type_holds_are_levels():
    held = pa.table({"a": pa.array([2**63 + 5, 1, 2**64 - 1, 1, None], pa.uint64())})
    for source in (held, pa.table({"a": held["a"].dictionary_encode()})):
        parts = [part.to_arrow().column("a").to_pylist() for part in by_column(source, 2, "a")]
        assert sorted(map(len, parts)) == [2, 3] and [1, 1] in [[v for v in p if v == 1] for p in parts]
        assert sum(len(part) for part in dirichlet(source, 2, "a", alpha=1.0)) == 5


def test_the_largest_alpha_gives_even_shares():
    assert [len(part) for part in dirichlet(TABLE, 2, "town", alpha=1e308)] == pytest.approx(
        [200, 200], abs=4
    )


def test_splits_that_cannot_be_are_refused():
    for call in (
        lambda: iid(TABLE, 0),
        lambda: iid(TABLE, 401),
        lambda: iid(TABLE, True),
        lambda: by_column(TABLE, 3, "city"),
        lambda: dirichlet(TABLE, 3, "town", alpha=0.0),
        lambda: dirichlet(pa.table({"a": ["x"] * 5}), 5, "a", alpha=1e-6),
    ):
        with pytest.raises(ParameterError):
            call()
