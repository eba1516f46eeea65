from dataclasses import replace

import numpy as np
import pytest

from understudy.errors import InputError
from understudy.federated.demand import Demand
from understudy.federated.message import Message
from understudy.federated.updates import Checker, Update, length_of

LIMIT = 10.0
DEMAND = Demand("t", "d", "s", 2, 3, {"a": np.zeros((2, 2), np.float32), "b": np.zeros(2, np.float32)}, {})
WEIGHTS = {"one": 1.0, "two": 2.0}


def checker():
    return Checker(DEMAND, "digest", WEIGHTS, LIMIT)


def difference(value=0.5):
    return {"a": np.full((2, 2), value, np.float32), "b": np.full(2, value, np.float32)}


def update(made=None, **changes):
    told = Update("t", "s", 2, "digest", 1.0, difference() if made is None else made)
    return replace(told, **changes)


REFUSED = {
    "nan": update(difference(np.nan)),
    "one nan": update({**difference(), "b": np.array([0, np.nan], np.float32)}),
    "inf": update(difference(np.inf)),
    "minus inf": update(difference(-np.inf)),
    "an extra key": update({**difference(), "c": np.zeros(1, np.float32)}),
    "a missing key": update({"a": np.zeros((2, 2), np.float32)}),
    "no keys": update({}),
    "another key": update({"a": np.zeros((2, 2), np.float32), "c": np.zeros(2, np.float32)}),
    "doubles": update({name: value.astype(np.float64) for name, value in difference().items()}),
    "halves": update({name: value.astype(np.float16) for name, value in difference().items()}),
    "whole numbers": update({name: value.astype(np.int32) for name, value in difference().items()}),
    "another shape": update({**difference(), "a": np.zeros(4, np.float32)}),
    "a larger shape": update({**difference(), "b": np.zeros((2, 1000), np.float32)}),
    "nothing in it": update({**difference(), "b": np.zeros(0, np.float32)}),
    "count 0": update(weight=0.0),
    "count -1": update(weight=-1.0),
    "count 2^63": update(weight=float(2**52)),
    "another round": update(round=1),
    "another stage": update(stage="z"),
    "other terms": update(terms="u"),
    "another demand": update(digest="other"),
}


@pytest.mark.parametrize("odd", REFUSED.values(), ids=REFUSED)
def test_a_poisoned_update_is_refused(odd):
    with pytest.raises(InputError, match="update"):
        checker().checked("one", odd.to_message())


@pytest.mark.parametrize("count", [2**63, True, None, "1", float("nan")], ids=str)
def test_a_count_that_is_no_number_is_refused(count):
    message = update().to_message()
    odd = Message("update", {**message.facts, "weight": count}, message.arrays)
    with pytest.raises(InputError, match="weight"):
        checker().checked("one", odd)


@pytest.mark.parametrize("value", [1e9, -1e9, 3e38, -3e38, 100.0], ids=str)
def test_a_huge_update_is_cut_to_the_limit(value):
    made = checker().checked("one", update(difference(value)).to_message())
    assert length_of(made) <= LIMIT * (1 + 1e-5)
    assert all(np.sign(part).max() == np.sign(value) for part in made.values())


def test_a_flipped_sign_moves_no_more_than_the_limit():
    honest = difference(0.5)
    made = checker().checked("one", update({k: -v for k, v in honest.items()}).to_message())
    assert length_of(made) == pytest.approx(length_of(honest))


def test_an_honest_update_is_left_as_it_is():
    made = checker().checked("one", update().to_message())
    assert all(np.array_equal(made[name], value) for name, value in difference().items())


def test_a_second_update_of_one_site_is_refused():
    found = checker()
    found.checked("one", update().to_message())
    with pytest.raises(InputError, match="already"):
        found.checked("one", update().to_message())


def test_a_refused_update_may_be_sent_again_as_it_should_be():
    found = checker()
    with pytest.raises(InputError):
        found.checked("one", REFUSED["nan"].to_message())
    assert found.checked("one", update().to_message())


def test_a_site_that_is_not_of_the_run_is_refused():
    with pytest.raises(InputError, match="no site"):
        checker().checked("three", update().to_message())


def test_another_kind_of_message_is_no_update():
    with pytest.raises(InputError, match="expected an update"):
        checker().checked("one", Message("margins"))


def test_a_weight_is_that_which_was_agreed_to():
    assert checker().checked("two", update(weight=2.0).to_message())
    with pytest.raises(InputError, match="weight"):
        checker().checked("two", update(weight=1.0).to_message())
