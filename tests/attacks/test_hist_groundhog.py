"""Hist groundhog: an outlier that is copied is found, in whatever unit."""

import numpy as np

from attacks.shadows_seen import outlying
from understudy.attacks.hist_groundhog import HistGroundhog


def test_a_copied_outlier_is_found():
    found = HistGroundhog(recipe="copy", models=12, sets=1, targets=30, trees=8)(outlying())
    assert np.nanargmax(found.per_record) == 0
    assert found.per_record[0] > 0.5


def test_the_unit_of_a_column_does_not_matter():
    plain, larger = (
        HistGroundhog(recipe="copy", models=4, sets=1, targets=5, trees=10)(outlying(unit=unit)).value
        for unit in (1, 1024)
    )
    assert plain == larger
