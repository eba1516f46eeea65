"""Every row has one teacher for good, and no other row has a say in which."""

import numpy as np
import pytest
import torch

from understudy.engines.pate.parts import RowsByPart, homes_of
from understudy.errors import ParameterError

KEY = b"a key"


def some_rows(count=400, seed=0):
    # Few values, so that many rows are equal.
    return np.random.default_rng(seed).integers(0, 3, (count, 3)).astype(np.float32)


def parts_of(rows, parts=7):
    """Return what each part holds, sorted."""
    homes = homes_of(rows, parts, KEY)
    return [sorted(row.tobytes() for row in rows[homes == part]) for part in range(parts)]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("gone", [0, 1, 200, 399])
def test_a_row_more_or_less_changes_one_part_and_that_by_one_row(gone):
    rows = some_rows()
    whole, rest = parts_of(rows), parts_of(np.delete(rows, gone, axis=0))
    changed = [part for part in range(7) if whole[part] != rest[part]]
    assert len(changed) == 1
    assert len(whole[changed[0]]) == len(rest[changed[0]]) + 1


def test_the_order_of_rows_changes_no_part():
    rows = some_rows()
    assert parts_of(rows) == parts_of(rows[::-1])


def test_parts_are_about_as_large_whether_rows_are_equal_or_not():
    for rows in (some_rows(7_000), np.zeros((7_000, 2), np.float32)):
        sizes = np.bincount(homes_of(rows, 7, KEY), minlength=7)
        # 1,000 rows each, and a deviation of 29: six of them are one false alarm in 10^8.
        assert np.abs(sizes - 1_000).max() < 180


def test_another_key_gives_other_parts_and_the_same_key_the_same():
    rows = some_rows()
    assert np.array_equal(homes_of(rows, 7, KEY), homes_of(rows, 7, KEY))
    assert not np.array_equal(homes_of(rows, 7, KEY), homes_of(rows, 7, b"another"))


def test_no_parts_and_no_key_are_refused():
    for parts, key in ((0, KEY), (3, b"")):
        with pytest.raises(ParameterError, match="homes_of"):
            homes_of(some_rows(), parts, key)


def test_rows_are_drawn_from_their_own_part_alone():
    rows, homes = torch.arange(30.0)[:, None], np.arange(30) % 3
    found = RowsByPart(rows, homes, 3)(40, seeded()).view(3, 40, 2)
    for part in range(3):
        assert set(found[part, :, 0].long().remainder(3).tolist()) == {part}
    assert (found[..., 1] == 1).all()


def test_what_one_part_draws_depends_on_no_row_of_another():
    rows, homes = torch.arange(30.0)[:, None], np.arange(30) % 3
    kept = np.delete(np.arange(30), 4)  # a row of part 1
    whole = RowsByPart(rows, homes, 3)(20, seeded()).view(3, 20, 2)
    rest = RowsByPart(rows[kept], homes[kept], 3)(20, seeded()).view(3, 20, 2)
    assert torch.equal(whole[[0, 2]], rest[[0, 2]]) and not torch.equal(whole[1], rest[1])


@pytest.mark.parametrize("gone", [0, 1, 200, 398])
def test_of_equal_rows_one_less_changes_what_one_part_draws_and_no_more(gone):
    rows = some_rows()
    rest = np.delete(rows, gone, axis=0)
    drawn = [
        RowsByPart(torch.from_numpy(each), homes_of(each, 7, KEY), 7)(50, seeded()).view(7, 50, 4)
        for each in (rows, rest, rows[::-1].copy())
    ]
    assert sum(not torch.equal(one, other) for one, other in zip(drawn[0], drawn[1], strict=True)) == 1
    assert torch.equal(drawn[0], drawn[2])  # the order of the table has no say


def test_a_part_without_a_row_says_so():
    found = RowsByPart(torch.ones(4, 1), np.zeros(4, np.int64), 2)(3, seeded())
    assert found.tolist() == [[1.0, 1.0]] * 3 + [[0.0, 0.0]] * 3
    assert RowsByPart(torch.ones(0, 1), np.zeros(0, np.int64), 2)(1, seeded()).tolist() == [[0.0, 0.0]] * 2
