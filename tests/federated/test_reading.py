import pytest

from understudy.errors import InputError, SchemaError
from understudy.federated.reading import read_or_refuse


def failing(error):
    def read():
        raise error

    return read


@pytest.mark.parametrize("error", [IndexError("secret"), TypeError("secret"), OverflowError("secret")])
def test_what_fails_to_be_read_is_refused_in_words_that_hold_none_of_it(error):
    with pytest.raises(InputError, match=type(error).__name__) as caught:
        read_or_refuse("terms", failing(error))
    assert "secret" not in str(caught.value) and caught.value.__cause__ is None


def test_a_refusal_stays_what_it_is_and_so_does_what_can_be_read():
    with pytest.raises(SchemaError, match="odd"):
        read_or_refuse("terms", failing(SchemaError("odd")))
    assert read_or_refuse("terms", lambda: 3) == 3


def test_who_ends_the_program_ends_it():
    with pytest.raises(KeyboardInterrupt):
        read_or_refuse("terms", failing(KeyboardInterrupt()))
