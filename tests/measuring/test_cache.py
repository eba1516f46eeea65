"""A thing is made once and found by every process."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from understudy.measuring.cache import SharedCache

MAKE = """
import sys, time, pathlib
import numpy as np
from understudy.measuring.cache import SharedCache
folder = pathlib.Path(sys.argv[1])
def make():
    with open(folder / "made", "a") as file: file.write("x")
    time.sleep(float(sys.argv[2]))
    return np.arange(10_000.0)
print(SharedCache(folder / "cache").find(("slow", 1), make).sum())
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cache").mkdir()
    return tmp_path


def start(folder, seconds):
    return subprocess.Popen(
        [sys.executable, "-c", MAKE, str(folder), str(seconds)], stdout=subprocess.PIPE, text=True
    )


def never():
    raise AssertionError("it was made before")


def test_processes_that_need_a_thing_at_once_make_it_once(folder):
    both = [start(folder, 0.5) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == ["49995000.0"] * 2
    assert (folder / "made").read_text() == "x"


def test_nobody_waits_for_a_process_that_was_killed(folder):
    slow = start(folder, 60)
    while not (folder / "made").exists():
        time.sleep(0.02)
    slow.kill()
    slow.communicate()
    assert SharedCache(folder / "cache").find(("slow", 1), lambda: 7) == 7


def test_what_one_cache_made_another_finds(folder):
    made = SharedCache(folder / "cache").find(("a", 1, 0.5, None, ("b", True)), lambda: np.arange(10.0))
    found = SharedCache(folder / "cache").find(("a", 1, 0.5, None, ("b", True)), never)
    np.testing.assert_array_equal(made, found)


def test_other_keys_are_other_things(folder):
    cache = SharedCache(folder / "cache")
    keys = [("a",), ("a", 1), ("a", "1"), ("a", 1.5), (("a", 1),), "a"]
    assert [cache.find(key, lambda key=key: repr(key)) for key in keys] == [repr(key) for key in keys]


def test_what_has_no_form_stays_with_its_process(folder):
    one, other = (SharedCache(folder / "cache") for _ in range(2))
    thing = one.find(("object",), object)
    assert one.find(("object",), never) is thing
    assert other.find(("object",), object) is not thing


def test_a_key_that_processes_may_write_differently_stays_with_its_process(folder):
    cache = SharedCache(folder / "cache")
    key = frozenset({"a", "b"})
    assert cache.find(key, lambda: 1) == cache.find(key, never) == 1
    assert list((folder / "cache").iterdir()) == []


def test_none_is_a_thing_too(folder):
    cache = SharedCache(folder / "cache")
    assert cache.find(("none",), lambda: None) is None
    assert cache.find(("none",), never) is None


def test_a_thing_may_be_made_of_others(folder):
    cache = SharedCache(folder / "cache")
    assert cache.find(("outer",), lambda: cache.find(("inner",), lambda: 2) + 1) == 3


def test_an_error_while_making_goes_through_and_leaves_nothing(folder):
    cache = SharedCache(folder / "cache")
    with pytest.raises(ZeroDivisionError):
        cache.find(("bad",), lambda: 1 / 0)
    assert cache.find(("bad",), lambda: 5) == 5


def test_a_full_disk_costs_the_sharing_and_not_the_thing(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("understudy.measuring.shelf.write", full)
    cache = SharedCache(folder / "cache")
    assert cache.find(("big",), lambda: 5) == cache.find(("big",), never) == 5
    assert [path for path in (folder / "cache").iterdir() if path.is_dir()] == []


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_a_thing_in_the_making_is_waited_for(folder):
    begun, waiting, order = threading.Event(), threading.Event(), []

    def make():
        begun.set()  # only now is the lock held for sure: its file is there a moment before
        waiting.wait(30)
        order.append("made")
        return 1

    first = threading.Thread(target=lambda: SharedCache(folder / "cache").find(("x",), make))
    first.start()
    second = threading.Thread(target=lambda: order.append(SharedCache(folder / "cache").find(("x",), never)))
    assert begun.wait(30)
    second.start()
    waiting.set()
    first.join(30)
    second.join(30)
    assert order == ["made", 1]
