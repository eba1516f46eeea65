"""Rows with known cells begin at rows that have them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from contract.mixture import FIELDS, NUMBER, SIDE, WORD, barely, drawn, mixture
from understudy.engines.diffusion.donors import FEWEST, PER_ROW, POOL, near_the_end, with_donors
from understudy.engines.diffusion.rows import Rows
from understudy.engines.generator import Known

ROWS = Rows(FIELDS)


def known(rows, **cells):
    """Return rows of which these cells are known: word, number or side; of the others nothing can be read."""
    values = np.full((rows, 3), 7.0, np.float32)
    mask = np.zeros((rows, 3), bool)
    for name, value in cells.items():
        place = {"word": WORD, "number": NUMBER, "side": SIDE}[name]
        values[:, place], mask[:, place] = value, True
    return Known(values, mask)


def donated(given, seed=0):
    return with_donors(given, ROWS, mixture, np.random.default_rng(seed))


@pytest.mark.parametrize("cells", [{"word": 2}, {"side": 1}, {"number": 1.0}, {"word": 2, "number": 0.9}])
def test_a_donor_has_the_known_cells_and_the_others_go_with_them(cells):
    given = donated(known(500, **cells))
    assert given.fitting and np.mean(given.values[:, SIDE] == 1) > 0.99
    assert np.mean(given.values[:, NUMBER] > 0) > 0.98
    for name, value in cells.items():
        place = {"word": WORD, "number": NUMBER, "side": SIDE}[name]
        assert (given.values[:, place] == np.float32(value)).all()


def test_where_nothing_is_known_any_row_is_a_donor():
    assert np.mean(donated(known(3_000)).values[:, SIDE]) == pytest.approx(0.3, abs=0.06)


def test_rows_that_fit_already_and_no_rows_need_no_donor():
    for given in (replace(known(5, word=1), fitting=True), known(0)):
        assert with_donors(given, ROWS, pytest.fail, np.random.default_rng(0)) is given


def test_donors_are_chosen_by_the_seed_among_as_many_as_rows_need():
    sizes = []
    for rows in (1, 10, 1_000):
        with_donors(
            known(rows, word=1), ROWS, lambda n: sizes.append(n) or mixture(n), np.random.default_rng(0)
        )
    assert sizes == [FEWEST + PER_ROW, FEWEST + 10 * PER_ROW, POOL]
    one, same, other = (donated(known(50, word=0), seed).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_walk_has_two_times_at_least():
    times = torch.tensor([3, 0, -1])
    assert near_the_end(times, torch.tensor([0.0, 0.1, 1.0])).tolist() == [0, -1]
    assert near_the_end(times, torch.tensor([0.95, 0.99, 1.0])).tolist() == [3, 0, -1]


WAYS = ("tabddpm", "tabddpm, a label", "tabddpm, the paper's", "findiff", "tabsyn", "tablediffusion", "tldm")


@pytest.mark.parametrize("way", [*WAYS, "tabsyn, the paper's", "findiff, the paper's"])
def test_fitting_rows_and_others_keep_their_known_cells(way):
    for fitting in (False, True):
        given = Known(mixture(40), np.random.default_rng(0).random((40, 3)) < 0.4, fitting)
        found = drawn(barely(way), 40, given)
        assert np.isfinite(found).all() and np.array_equal(found[given.mask], given.values[given.mask])


@pytest.mark.parametrize("way", ["tabddpm", "findiff"])
def test_a_network_that_knows_nothing_stays_near_the_rows_it_begins_at(way):
    rows = mixture(400)
    given = Known(rows, np.zeros((400, 3), bool), fitting=True)
    found = drawn(barely(way), 400, given)
    assert np.corrcoef(found[:, NUMBER], rows[:, NUMBER])[0, 1] > 0.6
    assert not np.isin(found[:, NUMBER], rows[:, NUMBER]).any()
