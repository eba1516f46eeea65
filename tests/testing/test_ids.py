import pytest

from testing.planted import Planted, caught
from understudy.testing import ids


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (ids.ids_are_unique, "repeats_ids", "column 'code': an id came twice"),
        (ids.ids_are_never_copied, "copies_ids", "column 'code': 200 real ids came back"),
        (ids.ids_look_like_ids, "shouts", "lost their shape"),
    ],
)
def test_the_message_says_what_is_wrong_with_the_ids(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))


def test_the_real_ids_are_unique_themselves():
    table = ids._table()
    for name in ("code", "number_id", "uuid"):
        assert len(set(table.column(name).to_pylist())) == table.num_rows
