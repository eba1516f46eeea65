"""Bugs that break a promise of privacy, planted one by one: each is caught by the verdict that is for it.

A verdict is what the tests of mechanisms, vault and fits ask for; here it is asked of the broken code too.
"""

# A plant has a fixed signature, and ignores parts of it.
# ruff: noqa: ARG001, ARG002

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest

import understudy.privacy.ledger as ledger_file
from privacy.mechanisms.test_levels import tail
from privacy.releases import (
    ALPHA,
    gaussian_cdf,
    laplace_cdf,
    noise_of,
    one_apart,
    p_of_choices,
    p_of_noise,
    rounded_cdf,
    stream,
)
from understudy.errors import BudgetError
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, Gaussian, Selection
from understudy.privacy.mechanism import Mechanism, Sensitivity
from understudy.privacy.mechanisms import counts, interactions, laplace, levels, selection, sums
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.interactions import CountInteractions
from understudy.privacy.mechanisms.laplace import LaplaceCounts
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.privacy.mechanisms.medians import MedianScores
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.synth.histogram import Histogram
from understudy.testing.tables import people

N = 20_000
ROWS = 50


def pair(clip=1.0):
    def vectors(columns):
        return np.stack([columns["x"], columns["y"]], axis=1)

    return ClippedSums(vectors, ("x", "y"), 2, clip, Gaussian(1.5))


def wide_sum():
    return ClippedSums(lambda columns: np.zeros((len(columns["x"]), N)), ("x",), N, 1.0, Gaussian(1.5))


# Verdicts: each says whether a promise is kept.


def counts_have_the_stated_noise():
    mechanism = CountTables((Margin(("c",), (N - 1,)),), DiscreteGaussian(6.0))
    return p_of_noise(noise_of(mechanism, np.zeros(N, dtype=np.int64), 1), gaussian_cdf(6.0), 6.0) > ALPHA


def interactions_have_the_stated_noise():
    # Two by N / 2 cells: a row's reach is sqrt(2 N / 2 (N / 2 - 1)), and the noise that many times 6.
    table = Margin(("c", "d"), (1, N // 2 - 1))
    mechanism = CountInteractions((table,), Gaussian(6e-3))
    scale = 6e-3 * math.sqrt(2 * (N // 2) * (N // 2 - 1))
    return p_of_noise(noise_of(mechanism, np.zeros(N, dtype=np.int64), 1), gaussian_cdf(scale), scale) > ALPHA


def pure_counts_have_the_stated_noise():
    mechanism = LaplaceCounts(Margin(("c",), (N - 1,)), 6)
    return p_of_noise(noise_of(mechanism, np.zeros(N, dtype=np.int64), 1), laplace_cdf(6), 6) > ALPHA


def levels_have_the_stated_noise():
    mechanism = CommonLevels("c", DiscreteGaussian(6.0), 1e-6)
    pairs = np.array([[None, 0], *([place, 10_000] for place in range(N))], dtype=object)
    found = np.array(list(mechanism.release(pairs, stream(1)).values())) - 10_000
    return p_of_noise(found, gaussian_cdf(6.0), 6.0) > ALPHA


def sums_have_the_stated_noise():
    mechanism = wide_sum()
    statistic = mechanism.statistic({"x": np.zeros(ROWS)})
    steps = 1.5 / mechanism.grid
    return p_of_noise(noise_of(mechanism, statistic, 1, mechanism.grid), rounded_cdf(steps), steps) > ALPHA


def choices_have_the_stated_chances():
    scores = MedianScores("x", np.array([0, 9]), np.array([[2, 4, 6]]), np.zeros((1, 3), dtype=bool))
    mechanism = ChooseInEach(scores, Selection(1.0))
    table = np.array([0.0, -1.0, -2.0])
    chosen = mechanism.release(np.tile(table, (N, 1)), stream(1))
    return p_of_choices(chosen, np.exp(table)) > ALPHA


def one_row_moves_a_sum_by_at_most_its_sensitivity():
    tables = ([(10.0, 0.0), (-6.0, 0.0)], [(0.3, 0.4), (0.0, -7.0)], [(1e9, 1e9), (0.1, 0.0)])
    columns = [dict(zip("xy", np.array(rows).T, strict=True)) for rows in tables]
    return all(one_apart(pair(), table, row) <= 1 for table in columns for row in (0, 1))


def a_refused_read_computes_nothing():
    spy = Spy()
    with pytest.raises(BudgetError):
        reserved_vault("another").read("spied", spy)
    return spy.seen == []


def noise_is_drawn_only_after_the_read_is_written_down():
    spy, vault = Spy(), reserved_vault("spied")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "note", _disk_full)
        with pytest.raises(OSError, match="disk full"):
            vault.read("spied", spy)
    return "release" not in spy.seen


def two_fits_with_one_seed_have_different_noise():
    budget = Budget(epsilon=1.0, delta=1e-6)
    models = [Histogram().fit(people(60), budget=budget, seed=0, progress=False) for _ in range(2)]
    first, second = (model.sample_table(50, seed=1).to_arrow() for model in models)
    return not first.equals(second)


def a_value_of_one_row_is_told_with_at_most_its_chance():
    mechanism = CommonLevels("c", DiscreteGaussian(4.0), 1e-9)
    return tail(4.0, mechanism.threshold - 1) <= 1e-9


# Plants: each breaks one of them.


def halve(file, name):
    def plant(patch):
        honest = getattr(file, name)
        patch.setattr(file, name, lambda stream, scale, *rest: honest(stream, scale / 2, *rest))

    return plant


def halve_gumbel(patch):
    honest = selection.gumbel
    patch.setattr(selection, "gumbel", lambda stream, shape: honest(stream, shape) / 2)


def halve_rounded(patch):
    honest = sums.rounded_gaussian
    patch.setattr(sums, "rounded_gaussian", lambda s, steps, sigma, grid: honest(s, steps, sigma / 2, grid))


def noise_on_the_mean(patch):
    honest = sums.rounded_gaussian
    patch.setattr(
        sums, "rounded_gaussian", lambda s, steps, sigma, grid: honest(s, steps, sigma / ROWS, grid)
    )


def no_clip(patch):
    patch.setattr(ClippedSums, "_steps", lambda self, vectors: sums.rows_to_grid(vectors, self.grid))


def clip_after_sum(patch):
    honest = ClippedSums._steps

    def statistic(self, columns):
        return honest(self, self.vectors(columns).sum(axis=0, keepdims=True)).sum(axis=0)

    patch.setattr(ClippedSums, "statistic", statistic)


def debit_after_use(patch):
    def read(self, name, mechanism):
        statistic = mechanism.statistic(self._columns)
        released = mechanism.release(statistic, self._stream.child(name, 0))
        self._ledger.use(name, mechanism.event)
        self._ledger.note(name, 0, "")
        return released

    patch.setattr(Vault, "read", read)


def seed_reaches_the_noise(patch):
    class Predictable:
        urandom = staticmethod(lambda size: bytes(range(size)))

        def __getattr__(self, name):
            import os

            return getattr(os, name)

    patch.setattr(ledger_file, "os", Predictable())


def threshold_without_delta(patch):
    patch.setattr(CommonLevels, "threshold", property(lambda self: math.ceil(1 + 3 * self.price.sigma)))


PLANTS = [
    ("noise halved: counts", halve(counts, "discrete_gaussian"), counts_have_the_stated_noise),
    (
        "noise halved: interactions",
        halve(interactions, "discrete_gaussian"),
        interactions_have_the_stated_noise,
    ),
    ("noise halved: pure counts", halve(laplace, "discrete_laplace"), pure_counts_have_the_stated_noise),
    ("noise halved: levels", halve(levels, "discrete_gaussian"), levels_have_the_stated_noise),
    ("noise halved: sums", halve_rounded, sums_have_the_stated_noise),
    ("noise halved: choices", halve_gumbel, choices_have_the_stated_chances),
    ("noise on the mean instead of the sum", noise_on_the_mean, sums_have_the_stated_noise),
    ("no clip", no_clip, one_row_moves_a_sum_by_at_most_its_sensitivity),
    ("clip after sum", clip_after_sum, one_row_moves_a_sum_by_at_most_its_sensitivity),
    ("debit after use: refused reads", debit_after_use, a_refused_read_computes_nothing),
    ("debit after use: a crash", debit_after_use, noise_is_drawn_only_after_the_read_is_written_down),
    ("seed reaching the noise", seed_reaches_the_noise, two_fits_with_one_seed_have_different_noise),
    (
        "threshold without delta",
        threshold_without_delta,
        a_value_of_one_row_is_told_with_at_most_its_chance,
    ),
]
every_plant = pytest.mark.parametrize(
    ("plant", "verdict"), [row[1:] for row in PLANTS], ids=[row[0] for row in PLANTS]
)


@every_plant
def test_the_code_as_it_is_keeps_the_promise(plant, verdict):
    assert verdict()


@every_plant
def test_a_planted_bug_is_caught(plant, verdict, monkeypatch):
    plant(monkeypatch)
    assert not verdict()


@final
@dataclass(frozen=True)
class Spy(Mechanism):
    """A mechanism that remembers what was done with it."""

    seen: list

    def __init__(self):
        object.__setattr__(self, "seen", [])

    @property
    def event(self):
        return Gaussian(50.0)

    @property
    def sensitivity(self):
        return Sensitivity("l2", 1.0, "a spy")

    def statistic(self, columns):
        self.seen.append("statistic")
        return np.zeros(1, dtype=np.int64)

    def release(self, statistic, stream):
        self.seen.append("release")
        return statistic


def reserved_vault(name):
    ledger = Ledger()
    entry = Entry("something", "measure", Gaussian(50.0), name=name)
    return Vault({"x": np.zeros(3)}, ledger, ledger.reserve([entry], Budget(epsilon=5.0, delta=1e-6)))


def _disk_full(self, *given):
    raise OSError("disk full")
