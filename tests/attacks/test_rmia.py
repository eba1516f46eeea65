"""RMIA: the ratio of a record against those of the population."""

import math

import numpy as np
import pytest

from attacks.shadows_seen import recorded
from attacks.tried import wide
from understudy.attacks.rmia import RMIA
from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


def of(shown, **settings):
    return RMIA(**{"recipe": "copy", "models": 4, "sets": 1, **settings})(shown)


@pytest.mark.parametrize("recipe", ["copy", "gaussian_copula"])
def test_copies_are_caught_half_of_them_half_and_fresh_rows_betray_nobody(recipe):
    copy, half, fresh = (of(wide(kind), recipe=recipe) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95 and copy.value > half.value > fresh.value
    assert half.low > 0.5 and fresh.low <= 0.5 <= fresh.high


def test_the_score_is_the_share_of_the_population_with_a_smaller_ratio():
    # A copy has a larger ratio than whatever was not copied; that much larger it need not be.
    near, never = (np.array(of(wide("copy"), factor=factor).per_record) for factor in (1.0, 1e3))
    assert near.min() > 0.95 and (never <= near).all()


def test_targets_are_in_no_shadow_model():
    # The training rows could be anything: shadows are cast on the reference alone.
    tables = {role: law(40, seed) for role, seed in (("holdout", 1), ("reference", 5), ("synthetic", 2))}
    one, other = (Evidence(train=law(40, seed), **tables) for seed in (0, 9))
    for shown in (one, other):
        shown.coded("train")
    first, second = (RMIA(recipe="copy", models=4, sets=1)._shown(shown, 0) for shown in (one, other))
    np.testing.assert_array_equal(first.records["rise"], second.records["rise"])
    np.testing.assert_array_equal(first.drawn(0, 0)["rise"], second.drawn(0, 0)["rise"])


def test_what_is_lacking_is_said():
    assert "recipe=" in RMIA()(recorded()).notes[0]
    found = of(Evidence(train=law(40, 0), holdout=law(40, 1), synthetic=law(40, 2)))
    assert math.isnan(found.value) and "reference" in found.notes[0]
    few = of(Evidence(train=law(40, 0), holdout=law(40, 1), synthetic=law(40, 2), reference=law(3, 5)))
    assert math.isnan(few.value) and "different rows" in few.notes[0]
    with pytest.raises(ParameterError):
        of(recorded(), recipe="nobody")
