import numpy as np
import pytest
import safetensors.numpy

from understudy.errors import InputError
from understudy.federated.message import Message, refusal


def test_a_message_comes_back_from_its_bytes():
    message = Message("train", {"round": 3, "why": "é"}, {"w": np.arange(6, dtype=np.float32).reshape(2, 3)})
    found = Message.from_bytes(message.to_bytes())
    assert (found.kind, found.facts) == ("train", message.facts)
    assert np.array_equal(found.arrays["w"], message.arrays["w"])
    assert found.digest() == message.digest()


def test_a_message_without_arrays_comes_back_without_any():
    assert Message.from_bytes(refusal("no").to_bytes()).arrays == {}


def test_the_order_of_names_does_not_change_the_bytes():
    one, two = np.ones(2, np.float32), np.zeros(3, np.float32)
    left = Message("k", {"a": 1, "b": 2}, {"one": one, "two": two})
    right = Message("k", {"b": 2, "a": 1}, {"two": two, "one": one})
    assert left.to_bytes() == right.to_bytes()


def test_a_digest_tells_of_every_part():
    plain = Message("k", {"a": 1}, {"w": np.ones(2, np.float32)})
    others = [
        Message("other", {"a": 1}, {"w": np.ones(2, np.float32)}),
        Message("k", {"a": 2}, {"w": np.ones(2, np.float32)}),
        Message("k", {"a": 1}, {"v": np.ones(2, np.float32)}),
        Message("k", {"a": 1}, {"w": np.array([1, 1.0000001], np.float32)}),
        Message("k", {"a": 1}, {"w": np.ones(2, np.float64)}),
    ]
    assert len({plain.digest(), *(each.digest() for each in others)}) == 6


@pytest.mark.parametrize("size", [1, 8, 9, 20, 60])
def test_bytes_that_are_cut_off_are_refused(size):
    content = Message("train", {"round": 3}, {"w": np.ones(9, np.float32)}).to_bytes()
    with pytest.raises(InputError):
        Message.from_bytes(content[:size])


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 64, b"\xff" * 64, b'{"kind": "train"}', b"\x80\x04\x95" + b"." * 64],
    ids=["nothing", "zeros", "ones", "json", "pickle"],
)
def test_other_bytes_are_refused_in_words_that_hold_none_of_them(content):
    with pytest.raises(InputError, match="not a message") as error:
        Message.from_bytes(content)
    assert "kind" not in str(error.value)


def test_more_bytes_than_are_taken_are_refused_before_they_are_parsed():
    with pytest.raises(InputError, match="at most 10 bytes"):
        Message.from_bytes(b"x" * 11, most=10)


def test_a_fact_is_of_its_kind_or_refused():
    message = Message("k", {"round": 3, "flag": True, "huge": 2**63, "text": "3"})
    assert message.fact("round", int) == 3 and message.fact("round", float) == 3.0
    for name, kind in [("flag", int), ("flag", float), ("huge", float), ("text", int), ("gone", str)]:
        with pytest.raises(InputError, match=name):
            message.fact(name, kind)


def test_a_message_with_numbers_that_json_has_not_is_not_written():
    with pytest.raises(ValueError, match="Out of range"):
        Message("k", {"loss": float("nan")}).to_bytes()


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity"])
def test_a_message_with_numbers_that_json_has_not_is_not_read(odd):
    head = f'{{"facts": {{"loss": {odd}}}, "kind": "k"}}'
    content = safetensors.numpy.save({"w": np.zeros(1, np.float32)}, {"understudy": head})
    with pytest.raises(InputError, match="not a message"):
        Message.from_bytes(content)
