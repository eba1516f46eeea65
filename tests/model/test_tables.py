"""Exact and noisy tables answer the same questions."""

from typing import ClassVar

import numpy as np
import pytest

from understudy.errors import BudgetError
from understudy.model.cells import Cells
from understudy.model.tables import Candidate, ExactTables, NoisyTables
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, Gaussian, GaussianDP, Selection
from understudy.privacy.gdp import mu_of_choice, mu_of_counts, sigma_of_counts

SIZES = (2, 3, 2)


def cells():
    return {
        name: Cells.of(np.ones(size) / size, np.arange(size, dtype=np.int32))
        for name, size in zip("abc", SIZES, strict=True)
    }


def columns(n=2_000):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 1, n) + (rng.random(n) < 0.5)
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 2, n))
    return {"a": a.astype(np.int32), "b": b.astype(np.int32), "c": rng.integers(0, 1, n).astype(np.int32)}


def vault(**events):
    ledger = Ledger()
    entries = [Entry(name, "measure", event, name=name) for name, event in events.items()]
    stream = ledger.reserve(entries, Budget(epsilon=1e6, delta=1e-6))
    return Vault(columns(), ledger, stream), events


def candidates():
    flat = [np.full((SIZES[i], SIZES[j]), 2_000 / (SIZES[i] * SIZES[j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    return [Candidate(of, table) for of, table in zip([(0, 1), (0, 2), (1, 2)], flat, strict=True)]


def test_noisy_tables_are_the_exact_ones_up_to_their_noise():
    locked, events = vault(pairs=DiscreteGaussian(2.0, 2))
    noisy = NoisyTables.of(locked, cells(), (), 2_000.0, events).measure("pairs", [(0, 1), (1, 2)])
    exact = ExactTables.of(cells(), columns()).measure("pairs", [(0, 1), (1, 2)])
    for one, other in zip(noisy, exact, strict=True):
        assert one.of == other.of and one.sigma == 2.0 and one.table.shape == other.table.shape
        assert np.abs(one.table - other.table).max() < 20


def test_both_choose_the_table_that_is_farthest_from_what_is_expected():
    locked, events = vault(choose=Selection(50.0, 1), tree=Selection(50.0, 2))
    noisy, exact = NoisyTables.of(locked, cells(), (), 2_000.0, events), ExactTables.of(cells(), columns())
    assert noisy.choose("choose", candidates()) == exact.choose("choose", candidates())
    assert noisy.span("tree", candidates()) == exact.span("tree", candidates())


def test_both_choose_the_same_several_tables_that_are_farthest():
    locked, events = vault(rounds=GaussianDP(50.0))
    noisy, exact = NoisyTables.of(locked, cells(), (), 2_000.0, events), ExactTables.of(cells(), columns())
    found = noisy.best("rounds", candidates(), 2, 50.0)
    assert found == exact.best("rounds", candidates(), 2, 50.0) and len(found) == 2


def test_noisy_scores_are_the_exact_ones_up_to_their_noise():
    locked, events = vault(scores=Gaussian(2.0, 3))
    noisy = NoisyTables.of(locked, cells(), (), 2_000.0, events).apart("scores", candidates())
    exact = ExactTables.of(cells(), columns()).apart("scores", candidates())
    assert exact.max() > 500 and 0 < np.abs(noisy - exact).max() < 20


def test_a_filter_lets_noise_be_chosen_until_its_price_is_used_up():
    locked, events = vault(rounds=GaussianDP(1.0))
    noisy = NoisyTables.of(locked, cells(), (), 2_000.0, events)
    noisy.measure("rounds", [(0, 1)], sigma=2.0)
    noisy.choose("rounds", candidates(), epsilon=1.0)
    left = 1 - mu_of_counts(2.0) ** 2 - mu_of_choice(1.0) ** 2
    noisy.measure("rounds", [(0, 2)], sigma=sigma_of_counts(np.sqrt(left).item()))
    with pytest.raises(BudgetError):
        noisy.measure("rounds", [(1, 2)], sigma=1e3)


def test_related_pairs_are_the_exact_ones_up_to_their_noise_and_have_the_columns_own_margins():
    exact = ExactTables.of(cells(), columns())
    locked, events = vault(rounds=GaussianDP(1.0))
    noisy = NoisyTables.of(locked, cells(), exact.one_way, 2_000.0, events)
    pairs = [(0, 1), (1, 2)]
    for one, other in zip(
        noisy.relate("rounds", pairs, 2.0), exact.relate("rounds", pairs, 2.0), strict=True
    ):
        assert one.of == other.of and 0 < np.abs(one.table - other.table).max() < 20
        assert one.table.sum(axis=0) == pytest.approx(other.table.sum(axis=0))
        assert one.sigma < 2.0  # less than whole tables would have at that price
    with pytest.raises(BudgetError):
        noisy.relate("rounds", [(0, 1), (0, 2), (1, 2)], 2.0)


def test_large_pairs_are_read_whole_at_the_same_price():
    wide = {name: Cells.of(np.ones(9) / 9, np.arange(9, dtype=np.int32)) for name in "abc"}
    exact = ExactTables.of(wide, columns())
    locked, events = vault(rounds=GaussianDP(1.0))
    noisy = NoisyTables.of(locked, wide, exact.one_way, 2_000.0, events)
    (found,) = noisy.relate("rounds", [(0, 1)], 2.0)
    assert found.sigma == sigma_of_counts(0.5)
    own = exact.one_way[0].table  # its sums have noise of their own: nine times by chance equal, never
    assert np.abs(found.table.sum(axis=1) - own).max() > 1e-6


def test_more_tables_than_were_paid_for_are_refused():
    locked, events = vault(pairs=DiscreteGaussian(2.0, 1))
    with pytest.raises(BudgetError):
        NoisyTables.of(locked, cells(), (), 2_000.0, events).measure("pairs", [(0, 1), (1, 2)])


def test_the_number_of_rows_is_told_only_where_it_was_bought():
    assert NoisyTables.told and not ExactTables.told
    assert ExactTables.of(cells(), columns()).rows == 2_000


def test_a_watcher_is_told_what_a_fit_will_take():
    class Told:
        texts: ClassVar[list[str]] = []

        def tell(self, text):
            self.texts.append(text)

    ExactTables.of(cells(), columns()).foresee(Told(), steps=10)
    assert Told.texts == ["fitting: about 1 s and 1 MB"]
