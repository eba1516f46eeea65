import numpy as np
import pytest

from understudy.errors import InputError
from understudy.federated.demand import Demand
from understudy.federated.message import Message


def demand(**changes):
    told = {
        "terms": "t",
        "domain": "d",
        "stage": "second",
        "round": 2,
        "cohort": 3,
        "parameters": {"a.b": np.ones((2, 2), np.float32)},
        "before": {"first": {"w/x": np.zeros(3, np.float32)}},
    }
    return Demand(**{**told, **changes})


def test_a_demand_comes_back_from_its_message():
    found = Demand.of(Message.from_bytes(demand().to_message().to_bytes()))
    assert (found.stage, found.round, found.cohort) == ("second", 2, 3)
    assert np.array_equal(found.parameters["a.b"], np.ones((2, 2)))
    assert np.array_equal(found.before["first"]["w/x"], np.zeros(3))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_parameters_that_are_not_finite_are_refused(value):
    odd = demand(parameters={"a": np.array([value], np.float32)})
    with pytest.raises(InputError, match="finite"):
        Demand.of(odd.to_message())


def test_parameters_of_another_type_are_refused():
    with pytest.raises(InputError, match="float32"):
        Demand.of(demand(parameters={"a": np.ones(2)}).to_message())


def test_arrays_that_belong_to_no_stage_are_refused():
    message = demand().to_message()
    more = Message("train", message.facts, {**message.arrays, "stray": np.ones(1, np.float32)})
    with pytest.raises(InputError, match="no stage"):
        Demand.of(more)


def test_a_number_of_a_round_is_whole():
    message = demand().to_message()
    for odd in (True, 1.5, "1", None):
        with pytest.raises(InputError, match="round"):
            Demand.of(Message("train", {**message.facts, "round": odd}, message.arrays))
