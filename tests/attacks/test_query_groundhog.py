"""Query groundhog: a copy answers queries with one row more; a generator that never saw it betrays nobody."""

import numpy as np
import pyarrow as pa

from attacks.shadows_seen import blind, recorded, shown_by
from understudy.attacks.query_groundhog import QueryGroundhog
from understudy.rng import stream
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema


def test_copies_are_caught():
    found = QueryGroundhog(recipe="copy", models=12, sets=1, targets=6, trees=20)(recorded(60))
    assert found.value > 0.95 and found.low > 0.5


def test_a_generator_that_never_saw_the_records_betrays_nobody():
    attack = QueryGroundhog(targets=6, trees=4, queries=50)
    found = [attack.judged(shown_by(blind, models=8, sets=1, seed=s), stream(s, "t")) for s in range(8)]
    assert sum(each.low <= 0.5 <= each.high for each in found) >= 6
    assert abs(np.mean([each.score.value for each in found]) - 0.5) < 0.1


NAMES = [f"{place:02}" for place in range(24)]


def of_names(budget):
    """The attack on a column of declared levels, in which every record has one of its own."""
    table = pa.table({"name": NAMES, "well": ["no", "yes"] * 12})
    levels = {"name": NAMES, "well": ["no", "yes"]}
    columns = [
        {"name": name, "kind": "categorical", "levels": {"values": values}} for name, values in levels.items()
    ]
    shown = Evidence(train=table, synthetic=table, schema=Schema.model_validate({"columns": columns}))
    attack = QueryGroundhog(
        recipe="histogram", models=12, sets=4, targets=24, trees=20, folds=2, budget=budget
    )
    return attack(shown)


def test_a_budget_without_end_is_as_none_and_with_one_that_is_next_to_nothing_nobody_is_told():
    plain, endless, tiny = map(of_names, ("", '{"epsilon": 500}', '{"epsilon": 0.01}'))
    # Counts of declared levels are told as they are; so are the drawn rows, for their seeds are the same.
    assert plain.value == endless.value > 0.85 and plain.low > 0.5
    # No seed repeats the noise: an interval that is not missed once in a million.
    assert abs(tiny.value - 0.5) < 3 * (tiny.high - tiny.low) / 2 and tiny.value < plain.low


def test_without_a_recipe_a_note_says_so():
    found = QueryGroundhog()(recorded(60))
    assert np.isnan(found.value) and found.null == 0.5 and "recipe=" in found.notes[0]
