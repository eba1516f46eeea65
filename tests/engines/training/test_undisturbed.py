"""A while without garbage collection."""

import gc
import weakref

import pytest

from understudy.engines.training.undisturbed import undisturbed


class Cycle:
    def __init__(self):
        self.me = self


def test_garbage_is_collected_before_and_none_meanwhile():
    before = weakref.ref(Cycle())
    with undisturbed():
        assert before() is None
        meanwhile = weakref.ref(Cycle())
        many = [[] for _ in range(10_000)]  # enough for the collector to come by
        assert meanwhile() is not None
    assert gc.isenabled()
    assert len(many) == 10_000


def test_the_collector_comes_back_after_an_error_and_stays_away_if_it_was_off():
    with pytest.raises(KeyError), undisturbed():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with undisturbed():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
