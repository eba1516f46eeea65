"""Query groundhog: a copy answers queries with one row more; a generator that never saw it betrays nobody."""

import numpy as np

from attacks.shadows_seen import blind, recorded, shown_by
from understudy.attacks.query_groundhog import QueryGroundhog
from understudy.rng import stream


def test_copies_are_caught():
    found = QueryGroundhog(recipe="copy", models=12, sets=1, targets=6, trees=20)(recorded(60))
    assert found.value > 0.95 and found.low > 0.5


def test_a_generator_that_never_saw_the_records_betrays_nobody():
    attack = QueryGroundhog(targets=6, trees=4, queries=50)
    found = [attack.judged(shown_by(blind, models=8, sets=1, seed=s), stream(s, "t")) for s in range(8)]
    assert sum(each.low <= 0.5 <= each.high for each in found) >= 6
    assert abs(np.mean([each.score.value for each in found]) - 0.5) < 0.1


def test_without_a_recipe_a_note_says_so():
    found = QueryGroundhog()(recorded(60))
    assert np.isnan(found.value) and found.null == 0.5 and "recipe=" in found.notes[0]
