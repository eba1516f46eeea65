"""Two computations at once: both are done, on one core or two, and what goes wrong in either is heard."""

import threading

import pytest

from understudy.engines.nets.beside import Beside


@pytest.mark.parametrize("count", [1, 2])
def test_both_are_done(cores, count):
    cores(count)
    done = []
    with Beside().open() as beside:
        beside.both(lambda: done.append("first"), lambda: done.append("second"))
    assert sorted(done) == ["first", "second"]


def test_two_cores_compute_at_the_same_time(cores):
    cores(2)
    meeting = threading.Barrier(2, timeout=60)  # whoever came alone would wait for ever
    with Beside().open() as beside:
        beside.both(meeting.wait, meeting.wait)


def test_one_core_computes_in_turns_and_in_this_thread(cores):
    cores(1)
    seen = []
    with Beside().open() as beside:
        beside.both(*[lambda: seen.append(threading.current_thread())] * 2)
    assert seen == [threading.current_thread()] * 2


def test_it_computes_in_turns_before_it_is_open_and_after(cores):
    cores(2)
    beside, seen = Beside(), []
    with beside.open():
        pass
    beside.both(*[lambda: seen.append(threading.current_thread())] * 2)
    assert seen == [threading.current_thread()] * 2


@pytest.mark.parametrize("wrong", [0, 1])
def test_an_error_of_either_is_raised(cores, wrong):
    cores(2)
    pair = [lambda: None, lambda: None]
    pair[wrong] = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError), Beside().open() as beside:
        beside.both(*pair)


def test_what_is_needed_later_is_begun_on_the_other_core_and_not_at_all_on_one(cores):
    seen = []
    for count in (1, 2):
        cores(count)
        with Beside().open() as beside:
            begun = beside.ahead(lambda: seen.append(threading.current_thread()))
            assert (begun is None) == (count == 1)
            if begun is not None:
                begun.result()
    assert len(seen) == 1
    assert seen[0] is not threading.current_thread()
