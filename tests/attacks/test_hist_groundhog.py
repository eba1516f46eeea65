"""Hist groundhog: an outlier that is copied is found, and a generator that never saw it betrays nobody."""

import numpy as np

from attacks.shadows_seen import blind, outlying, shown_by
from understudy.attacks.hist_groundhog import HistGroundhog
from understudy.rng import stream


def test_a_copied_outlier_is_found():
    found = HistGroundhog(recipe="copy", models=12, sets=1, targets=30, trees=8)(outlying())
    assert np.nanargmax(found.per_record) == 0
    assert found.per_record[0] > 0.5


def test_a_generator_that_never_saw_the_records_betrays_nobody():
    attack = HistGroundhog(targets=6, trees=4)
    found = [attack.judged(shown_by(blind, models=8, sets=1, seed=s), stream(s, "t")) for s in range(8)]
    assert sum(each.low <= 0.5 <= each.high for each in found) >= 6
    assert abs(np.mean([each.score.value for each in found]) - 0.5) < 0.1


def test_the_unit_of_a_column_does_not_matter():
    plain, larger = (
        HistGroundhog(recipe="copy", models=4, sets=1, targets=5, trees=10)(outlying(unit=unit)).value
        for unit in (1, 1024)
    )
    assert plain == larger
