"""vMIA: who stands alone is attacked first, and is found where an average over random records is not."""

import numpy as np
import pytest

from attacks.shadows_seen import blind, copying, recorded, shown_by
from understudy.attacks.query_groundhog import QueryGroundhog
from understudy.attacks.vmia import VMIA
from understudy.measuring.vulnerable import most_apart
from understudy.rng import stream

LONELY = 8


def betraying_outliers(records, inside, rng):
    """Fresh rows, and among them the outliers that were learned from."""
    lonely = np.intersect1d(most_apart(records, LONELY, 5), inside)
    fresh = blind(records, inside, rng)
    return records.take(lonely).joined(fresh)


def test_copies_are_caught():
    found = VMIA(recipe="copy", models=12, sets=1, targets=6, trees=20)(recorded(60))
    assert found.value > 0.95 and found.low > 0.5
    assert "farthest from other records" in found.notes[0]


def test_what_betrays_outliers_alone_is_found_by_looking_at_them_first():
    shown = shown_by(betraying_outliers, models=12, sets=1)
    settings = {"targets": LONELY, "trees": 20}
    first, at_random = (kind(**settings).judged(shown, stream(0, "t")) for kind in (VMIA, QueryGroundhog))
    assert first.score.value > 0.95 and first.low > 0.5
    assert at_random.low <= 0.5 and at_random.score.value < 0.8
    judged = np.flatnonzero(np.isfinite(first.per_record))
    np.testing.assert_array_equal(judged, np.sort(shown.places[most_apart(shown.records, LONELY, 5)]))


@pytest.mark.parametrize("distance", ["mixed", "cosine"])
def test_a_generator_that_never_saw_the_records_betrays_nobody(distance):
    # The same records are chosen whoever learned from them: the choice alone makes no alarm.
    attack = VMIA(targets=6, trees=4, queries=50, distance=distance)
    found = [attack.judged(shown_by(blind, models=8, sets=1, seed=s), stream(s, "t")) for s in range(6)]
    assert sum(each.low <= 0.5 <= each.high for each in found) >= 4  # 93 of 100: tests/contract
    assert abs(np.mean([each.score.value for each in found]) - 0.5) < 0.1


def test_half_copies_lie_between():
    def half(records, inside, rng):
        return records.take(inside[::2]).joined(blind(records, inside, rng))

    attack = VMIA(targets=6, trees=10, queries=100)
    copy, some, fresh = (
        attack.judged(shown_by(kind, models=12, sets=1), stream(0, "t")).score.value
        for kind in (copying, half, blind)
    )
    assert copy > some > fresh


def test_without_a_recipe_a_note_says_so():
    found = VMIA()(recorded(60))
    assert np.isnan(found.value) and found.null == 0.5 and "recipe=" in found.notes[0]
