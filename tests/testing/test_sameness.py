import pytest

from testing.planted import caught
from testing.planted_measures import Planted
from understudy.testing import sameness

PLANTED = [
    (sameness.the_order_of_rows_does_not_matter, "looks_at_the_first_rows", "the rows of all tables"),
    (sameness.the_order_of_columns_does_not_matter, "looks_at_the_first_column", "columns were turned round"),
    (sameness.the_units_of_quantities_do_not_matter, "looks_at_raw_units", "told in other units"),
    (sameness.the_names_of_levels_do_not_matter, "looks_at_codes", "levels were given other names"),
]


@pytest.mark.parametrize(("check", "flaw", "said"), PLANTED, ids=[flaw for _, flaw, _ in PLANTED])
def test_what_must_not_matter_and_does_is_caught(check, flaw, said):
    assert said in caught(check, Planted(flaw=flaw, halves=4, nulls=1))
    assert caught(check, Planted(halves=4, nulls=1)) == ""


def test_a_change_leaves_a_table_of_the_same_law():
    from understudy.testing.judging import law

    table = law(50, 0)
    for change in (sameness._shuffled, sameness._in_other_units, sameness._relabelled):
        changed = change(table)
        assert changed.schema.equals(table.schema) and changed.num_rows == 50
        assert not changed.equals(table)
        assert [column.null_count for column in changed.columns] == [c.null_count for c in table.columns]
