"""The data plagiarism index: known neighbours, ties, and copies."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from attacks.tried import wide
from understudy.attacks.dpi import DPI
from understudy.synth.copy import Copy
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


def line(values):
    return pd.DataFrame({"x": np.asarray(values, dtype=float)})


def index_of(target, synthetic, reference, **settings):
    shown = Evidence(
        train=line([target, 100.0]),
        holdout=line([50.0, 60.0]),
        synthetic=line(synthetic),
        reference=line(reference),
    )
    return DPI(**settings)(shown).per_record[0]


@pytest.mark.parametrize("distance", ["l2", "mixed"])
@pytest.mark.parametrize(("near", "expected"), [(8, 0.8), (2, 0.2), (5, 0.5), (0, 0.0), (10, 1.0)])
def test_the_index_is_the_share_of_synthetic_rows_among_the_nearest(near, expected, distance):
    far = [1_000.0 + i for i in range(20)]
    synthetic = [0.1 * (i + 1) for i in range(near)] + far[: 20 - near]
    reference = [0.1 * (i + 1) + 0.05 for i in range(10 - near)] + far[: 10 + near]
    assert index_of(0.0, synthetic, reference, k=10, distance=distance) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("near", "published"), [(8, 0.982014), (2, 0.562177), (5, 0.731059), (0, 0.5), (10, 1.0)]
)
def test_the_published_score_is_a_rising_function_of_the_index(near, published):
    # The paper's code has the logistic function of synthetic over reference rows among the nearest.
    far = [1_000.0 + i for i in range(20)]
    synthetic = [0.1 * (i + 1) for i in range(near)] + far[: 20 - near]
    reference = [0.1 * (i + 1) + 0.05 for i in range(10 - near)] + far[: 10 + near]
    index = index_of(0.0, synthetic, reference, k=10)
    odds = index / (1 - index) if index < 1 else np.inf
    assert 1 / (1 + np.exp(-odds)) == pytest.approx(published, abs=1e-6)


def test_rows_at_the_last_distance_share_the_places_that_are_left():
    # One synthetic row nearer, then three synthetic and one reference row at one distance: 1 + 3/4 of 2.
    assert index_of(0.0, [0.5, 1, 1, 1], [1, 9, 9, 9], k=2) == pytest.approx((1 + 3 / 4) / 2)


def test_the_larger_table_is_cut_to_the_smaller_one():
    rng = np.random.default_rng(0)
    shown = Evidence(
        train=line(rng.random(300)),
        holdout=line(rng.random(300)),
        synthetic=line(rng.random(3_000)),
        reference=line(rng.random(300)),
    )
    assert abs(np.mean(DPI()(shown).per_record) - 0.5) < 0.1


def again_and_again(kind, rows=60, size=1_500):
    """Evidence of a generator that gives records 25 times each; or half of them 50 times; or fresh rows."""
    train, holdout, reference, fresh = (
        law(count, place) for place, count in enumerate((rows, rows, size, size))
    )
    learned = {"copy": train, "half": train.slice(0, rows // 2)}
    drawn = Copy().fit(learned[kind], progress=False).sample(size, seed=0) if kind in learned else fresh
    return Evidence(train=train, holdout=holdout, reference=reference, synthetic=drawn)


def test_records_that_come_again_and_again_are_caught_by_default_and_half_of_them_half():
    copy, half, fresh = (DPI()(again_and_again(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95 and copy.low > 0.5
    assert copy.value > half.value > fresh.value
    assert half.low > 0.5
    assert fresh.low <= 0.5 <= fresh.high


def test_of_records_that_come_once_the_more_neighbours_the_less_is_seen():
    # One neighbour is synthetic for every copy and for half of the others: 3/4 is all that it can reach.
    areas = [DPI(k=k)(wide("copy")).value for k in (1, 3, 20)]
    assert 0.75 >= areas[0] > areas[1] > areas[2] > 0.5


def test_a_copy_is_caught_by_its_nearest_row_and_a_fresh_table_is_not():
    train, holdout, reference = law(600, 1), law(600, 2), law(600, 3)
    half = pa.concat_tables([train.slice(0, 300), law(300, 5)])
    areas = [
        DPI(k=1)(Evidence(train=train, holdout=holdout, reference=reference, synthetic=table))
        for table in (train, half, law(600, 4))
    ]
    assert areas[0].value > 0.7
    assert areas[0].value > areas[1].value > areas[2].value
    assert areas[2].low <= 0.5 <= areas[2].high
