"""Threads of torch: one for a while, then as many as before, also when two ask at once."""

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
import torch

from understudy.engines.nets.one_thread import one_thread


@pytest.fixture(autouse=True)
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def interrupted():
    with one_thread(), one_thread():
        raise KeyError(torch.get_num_threads())


def test_threads_are_given_back_also_after_an_error():
    with pytest.raises(KeyError, match="1"):
        interrupted()
    assert torch.get_num_threads() == 2


def test_two_who_ask_at_once_wait_for_each_other():
    inside = []

    def work(_):
        with one_thread():
            inside.append("in")
            sleep(0.02)
            inside.append("out")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert inside == ["in", "out"] * 4
