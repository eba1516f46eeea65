"""Shadow models on targets and reference rows: every target is inside half of them."""

import numpy as np
import pyarrow as pa

from attacks.shadows_seen import recorded
from understudy.measuring.membership import Targets
from understudy.measuring.shadow_cast import Size
from understudy.measuring.target_pool import cast_on_targets
from understudy.synth.copy import Copy
from understudy.table.evidence import Evidence
from understudy.table.roles import row_keys
from understudy.testing.judging import law


def cast(shown, targets=20, records=50, models=4):
    drawn = Targets.of(shown, targets, 0)
    return drawn, *cast_on_targets(shown, drawn, Copy(), Size(models, 1, records), 0)


def test_each_target_is_inside_half_of_the_models_and_copies_show_which():
    targets, shown, inside = cast(recorded())
    assert inside.shape == (4, 40) and (inside.sum(axis=0) == 2).all()
    assert len(shown.records) <= 40 + 50
    for model in range(4):
        copied = np.isin(row_keys(targets.rows), row_keys(shown.drawn(model, 0)))
        np.testing.assert_array_equal(copied, inside[model])


def test_a_target_that_is_in_the_reference_too_is_one_record():
    train, holdout, other = (law(20, seed) for seed in (0, 1, 5))
    reference = pa.concat_tables([other, train.slice(0, 3)])
    shown = Evidence(train=train, holdout=holdout, reference=reference, synthetic=law(20, 2))
    _, pool, inside = cast(shown)
    every = np.concatenate([row_keys(shown.coded(role)) for role in ("train", "holdout", "reference")])
    assert len(pool.records) == len(np.unique(every)) < len(every)
    assert (inside.sum(axis=0) == 2).all()


def test_ranges_are_those_of_the_pool():
    _, shown, _ = cast(recorded(), targets=5, records=4)
    column = shown.records.column("rise")
    assert (column.low, column.high) == (shown.records["rise"].min(), shown.records["rise"].max())
