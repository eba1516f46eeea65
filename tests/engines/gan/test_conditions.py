"""What rows are asked for, and rows that have it: every level in its place, and in its share."""

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.conditions import Conditions, RowsByLevel

FIELDS = Fields((1,), (0, 2), (3, 2))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def some_rows(rows=500):
    rng = np.random.default_rng(0)
    word = rng.choice(3, rows, p=[0.9, 0.1, 0.0])
    return torch.from_numpy(np.stack([word, rng.normal(size=rows), rng.integers(0, 2, rows)], 1)).float()


def by_level(logs=False, fields=FIELDS):
    rows = some_rows()
    seen = fields.seen(rows.numpy(), unseen=0.0)
    return RowsByLevel(rows, fields, Conditions(seen, 500.0), logs=logs)


def test_a_row_has_the_level_that_it_was_picked_for():
    found = by_level()(4_000, seeded())
    rows, places = found[:, :-1], found[:, -1].long()
    assert bool(((rows[:, 0] == places) | (places > 2)).all())
    assert bool(((rows[:, 2] == places - 3) | (places < 3)).all())
    assert set(places.tolist()) == {0, 1, 3, 4}, "a level that no row has is never asked for"


def test_columns_are_asked_for_evenly_and_levels_by_their_counts_or_the_logs_of_these():
    rows = some_rows()
    rare = float((rows[:, 0] == 1).sum())
    logs = np.log1p(rare) / (np.log1p(rare) + np.log1p(500 - rare))
    for flag, wanted in ((False, rare / 500), (True, logs)):
        places = by_level(flag)(20_000, seeded(1))[:, -1]
        assert float((places < 3).float().mean()) == pytest.approx(0.5, abs=0.02)
        assert float((places == 1).float().mean()) == pytest.approx(wanted / 2, abs=0.02)


def test_every_row_of_a_level_is_picked_as_often():
    found = by_level()(50_000, seeded(2))
    picked = found[found[:, -1] == 1][:, 1]
    rare = some_rows()
    rare = rare[rare[:, 0] == 1][:, 1]
    counts = torch.stack([(picked == value).sum() for value in rare]).double()
    assert len(picked) == int(counts.sum())
    assert float((counts - counts.mean()).square().sum() / counts.mean()) < 2 * len(rare)


def test_without_levels_rows_are_picked_evenly():
    rows = torch.arange(4.0)[:, None]
    picks = RowsByLevel(rows, Fields((0,), (), ()), Conditions(Fields((0,), (), ()), 4.0), logs=True)
    found = picks(8_000, seeded())
    assert found.shape == (8_000, 2)
    assert torch.bincount(found[:, 0].long()).min() > 1_800


def test_places_are_drawn_by_shares_and_written_where_they_belong():
    fields = Fields((), (0, 1), (2, 3), (np.array([0.8, 0.2]), np.array([0.0, 0.5, 0.5])))
    conditions = Conditions(fields, 100.0)
    places = conditions.draw(20_000, seeded())
    shares = torch.bincount(places, minlength=5) / 20_000
    assert shares.tolist() == pytest.approx([0.4, 0.1, 0.0, 0.25, 0.25], abs=0.02)
    assert torch.equal(conditions.onehot(places).argmax(1), places)
    even = torch.bincount(conditions.draw(20_000, seeded(), logs=True), minlength=5) / 20_000
    assert float(even[1]) > 0.15


def test_the_place_of_a_rows_own_level_is_its_own():
    conditions = Conditions(FIELDS, 10.0)
    codes = torch.tensor([[2, 1]]).expand(300, 2)
    assert set(conditions.of(codes, seeded()).tolist()) == {2, 4}


def test_where_there_are_no_levels_nothing_is_asked_for():
    conditions = Conditions(Fields((0,), (), ()), 5.0)
    assert conditions.onehot(conditions.draw(3, seeded())).shape == (3, 0)
    assert conditions.of(torch.zeros(3, 0, dtype=torch.int64), seeded()).tolist() == [0, 0, 0]


def test_chances_are_how_often_places_are_drawn():
    fields = Fields((), (0, 1), (2, 3), (np.array([0.9, 0.1]), np.array([0.5, 0.3, 0.2])))
    conditions = Conditions(fields, 100.0)
    assert conditions.chances().tolist() == pytest.approx([0.45, 0.05, 0.25, 0.15, 0.1])
