"""Shadows for tests: of a generator that never sees a record, of one that copies, of whatever draws."""

from functools import lru_cache

import numpy as np
import pandas as pd

from understudy.engines.shadows.plan import Plan, Shadows
from understudy.measuring.shadow_cast import Shown, different
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


@lru_cache(maxsize=32)
def recorded(rows=120):
    """Evidence of the known law; one for all tests of a size, so that they share shadows."""
    return Evidence(train=law(rows, 0), holdout=law(rows, 1), reference=law(rows, 5), synthetic=law(rows, 2))


@lru_cache(maxsize=32)
def outlying(rows=30, unit=1):
    """Evidence of two quantities and a level, whose first row lies far from all others."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 64, (2, rows))
    x[0], y[0] = 640, 640
    table = {"x": unit * x / 8, "y": unit * y / 8, "kind": ["rare", *rng.choice(["a", "b"], rows - 1)]}
    fresh = {"x": unit * rng.integers(0, 64, rows) / 8, "y": unit * rng.integers(0, 64, rows) / 8}
    return Evidence(
        train=pd.DataFrame(table), synthetic=pd.DataFrame({**fresh, "kind": rng.choice(["a", "b"], rows)})
    )


@lru_cache(maxsize=32)
def alone(rows=6, own=3):
    """Evidence of records that each have columns of their own, in which all others are nought.

    Whatever a set says of these columns, a mean, a bin or a correlation, says whether the record was copied.
    """

    def table(which, seed):
        cells = np.zeros((len(which), rows * own))
        for place, record in enumerate(which):
            size = np.random.default_rng([seed, place]).uniform(1, 2)
            cells[place, record * own : (record + 1) * own] = size
        return pd.DataFrame(cells, columns=[f"x{place}" for place in range(rows * own)])

    fresh = np.random.default_rng(0).integers(0, rows, 200)
    return Evidence(train=table(range(rows), 0), holdout=table(fresh, 1), synthetic=table(fresh, 2))


def shown_by(draw, rows=120, models=20, sets=4, seed=0, evidence=None):
    """Shadows whose model draws by `draw(records, inside, rng)`, a coded table of any number of rows."""
    table = (evidence or recorded(rows)).coded("train")
    places = different(table)
    records, plan = table.take(places), Plan.of(len(places), models, sets, seed)
    rng = np.random.default_rng(seed + 1)
    columns = []
    for inside in plan.inside:
        tables = [draw(records, np.flatnonzero(inside), rng).take(np.arange(plan.rows)) for _ in range(sets)]
        names = tables[0].arrays
        columns.append({name: np.concatenate([each[name] for each in tables]) for name in names})
    return Shown(records, places, len(table), Shadows(plan.inside, sets, tuple(columns)))


def blind(records, inside, rng):
    """Rows of a pool that no record is taken from."""
    del inside
    return recorded(len(records) * 2).coded("holdout").draw(len(records) // 2, rng)


def copying(records, inside, rng):
    """The records that were learned from."""
    return records.take(rng.permutation(inside))


def exchanging(share):
    """A generator of `alone` records: those that were learned from, this share exchanged for fresh ones."""

    def draw(records, inside, rng):
        fresh = alone().coded("holdout").draw(len(inside), rng)
        own = np.arange(len(inside))
        either = np.where(rng.random(len(own)) < share, len(own) + own, own)
        return records.take(inside).joined(fresh).take(rng.permutation(either))

    return draw
