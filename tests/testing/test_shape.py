import pytest

from testing.planted import Planted, caught
from understudy.testing import shape


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (shape.the_schema_is_kept, "drops_a_column", "other names or another order"),
        (shape.the_schema_is_kept, "punches_holes", "is never missing"),
        (shape.the_row_count_is_exact, "one_row_more", "0 rows were asked for and 1 came back"),
        (shape.numbers_stay_inside_their_bounds, "leaves_the_bounds", "column 'age'"),
        (shape.levels_are_those_of_the_schema, "shouts", "levels came back that no row has"),
        (shape.a_column_to_ignore_is_left_out, "keeps_what_is_ignored", "the one to ignore"),
    ],
)
def test_the_message_says_what_is_wrong_with_the_shape(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))
