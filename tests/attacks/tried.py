"""Small tables for attacks, and the scores that come of them."""

from functools import lru_cache

import numpy as np
import pandas as pd
import pyarrow as pa

from understudy.table.evidence import Evidence
from understudy.table.schema import Schema
from understudy.testing.judging import law

ROWS = 300


def numbers(rows):
    """A table of numbers; a row is a number or a tuple of such."""
    array = np.asarray(rows, dtype=float).reshape(len(rows), -1)
    return pd.DataFrame(array, columns=[f"x{place}" for place in range(array.shape[1])])


def plain(table):
    return Schema.model_validate({"columns": [{"name": n, "kind": "numerical"} for n in table.columns]})


def scores(attack, members, synthetic, reference=None, others=None):
    """The scores of members, given the tables as lists of rows."""
    train = numbers(members)
    given = {"synthetic": numbers(synthetic), "holdout": numbers(others or [_far(row) for row in members])}
    if reference is not None:
        given["reference"] = numbers(reference)
    return np.array(attack(Evidence(train=train, schema=plain(train), **given)).per_record)


def _far(row):
    return tuple(1_000.0 + cell for cell in np.atleast_1d(row))


@lru_cache(maxsize=16)
def wide(synthetic="fresh", rows=150, seed=0):
    """Evidence of ten quantities and two categories, where no row has another close by.

    What a calibrated attack can do shows here: among few columns a copy in a dense place has reference rows
    just as close, and is no more at risk than these.
    """
    rng = np.random.default_rng(seed)
    train, holdout, reference, fresh = (_wide(rows, rng) for _ in range(4))
    half = pd.concat([train[: rows // 2], fresh[rows // 2 :]])
    chosen = {"fresh": fresh, "copy": train, "half": half}[synthetic]
    return Evidence(train=train, holdout=holdout, reference=reference, synthetic=chosen)


def _wide(rows, rng):
    table = pd.DataFrame(rng.normal(size=(rows, 10)), columns=[f"x{place}" for place in range(10)])
    return table.assign(kind=rng.choice(list("abc"), rows), well=rng.choice(["no", "yes"], rows))


@lru_cache(maxsize=512)
def laws(synthetic="fresh", rows=ROWS, seed=0):
    """Evidence of the known law: the synthetic rows are fresh, copies of train, or half of each."""
    train, fresh = law(rows, 10 * seed), law(rows, 10 * seed + 3)
    half = pa.concat_tables([train.slice(0, rows // 2), fresh.slice(0, rows - rows // 2)])
    return Evidence(
        train=train,
        holdout=law(rows, 10 * seed + 1),
        reference=law(rows, 10 * seed + 2),
        synthetic={"fresh": fresh, "copy": train, "half": half}[synthetic],
    )
