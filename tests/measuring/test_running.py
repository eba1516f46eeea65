"""Many measures at once: the same results whatever the number of workers, and failures that stop nobody."""

import io
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from measuring import toys
from understudy.errors import ParameterError
from understudy.measuring import running
from understudy.measuring.running import cores, run, said_seconds

MIXED = [toys.Distance(), toys.Refusing(), toys.Drawn(scale=2.0), toys.Quoting(), toys.Gap(halves=6)]

# No `if __name__ == "__main__"`: a program that starts processes as copies of itself would never end.
UNGUARDED = """
from measuring import toys
from understudy.measuring.running import run
print(len(run([toys.Drawn(), toys.Gap()], toys.evidence())))
"""
INTERRUPTED = """
from measuring import toys
from understudy.measuring.running import run
from understudy.measuring.sharing import shared
print("ready", flush=True)
run([toys.Slow(seconds=90.0)] * 2, toys.evidence())
"""


def plain(results):
    return [repr(replace(result, seconds=0.0)) for result in results]


@pytest.fixture(scope="module")
def alone():
    return run(MIXED, toys.evidence(), seed=5, workers=0, progress=False)


@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_seed_gives_the_same_results_whatever_the_number_of_workers(workers, alone):
    assert plain(run(MIXED, toys.evidence(), seed=5, workers=workers, progress=False)) == plain(alone)


def test_results_come_in_the_order_of_the_measures_and_are_those_of_each_alone(alone):
    evidence = toys.evidence()
    for place in (0, 2, 4):
        assert plain([alone[place]]) == plain([MIXED[place](evidence, seed=5)])


def test_a_measure_that_fails_stops_nobody(alone):
    assert [math.isnan(result.value) for result in alone] == [False, True, False, True, False]
    assert toys.SECRET not in repr(alone)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent")
def test_a_worker_that_is_killed_costs_one_result():
    lost, kept = run([toys.Killed(), toys.Drawn()], toys.evidence(), workers=1, progress=False)
    assert lost.notes == ("not measured: its process was ended by SIGKILL; most likely memory ran out.",)
    assert math.isnan(lost.value) and lost.seconds > 0
    assert kept.value == toys.Drawn()(toys.evidence()).value


def test_a_program_needs_no_guard_around_it():
    done = script(UNGUARDED)
    out, _ = done.communicate(timeout=100)
    assert (done.returncode, out.strip()) == (0, "2")


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="there is no /proc")
def test_an_interrupt_leaves_neither_a_folder_nor_a_process():
    parent = script(INTERRUPTED)
    assert parent.stdout.readline().strip() == "ready"
    deadline = time.monotonic() + 60
    while not (left := workers_of(parent.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    folder = left[0][1]
    assert os.path.isdir(folder)
    parent.send_signal(signal.SIGINT)
    parent.communicate(timeout=60)
    assert not os.path.exists(folder)
    assert not any(os.path.exists(f"/proc/{pid}") for pid, _ in left)


def script(code):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def workers_of(parent):
    """Return the workers of a process, with the folder that each was given."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                ours = int(file.read().rpartition(")")[2].split()[1]) == parent
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if ours and "understudy.measuring.worker" in words:
            found.append((int(name), words[-2]))
    return found


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_how_much_is_done_and_how_long_the_rest_will_take(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run([toys.Drawn(), toys.Gap()], toys.evidence(), workers=0)
    assert "of 2 measures, about" in terminal.getvalue()
    assert "left" in terminal.getvalue()


def test_the_longest_comes_first(monkeypatch):
    begun = []
    monkeypatch.setattr(running, "expected", lambda measures, evidence: [1.0, 3.0, 2.0])  # noqa: ARG005
    monkeypatch.setattr(running, "attempt", lambda measure, evidence, seed: begun.append(measure))  # noqa: ARG005
    run([toys.Drawn(scale=s) for s in (1.0, 2.0, 3.0)], toys.evidence(), workers=0, progress=False)
    assert [measure.scale for measure in begun] == [2.0, 3.0, 1.0]


def test_nothing_to_measure_gives_nothing():
    assert run([], toys.evidence(), progress=False) == []


@pytest.mark.parametrize("workers", [-1, 2000, 1.5, True, "2"])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with pytest.raises(ParameterError, match="workers must be a whole number from 0 to 1,024"):
        run(MIXED, toys.evidence(), workers=workers)


def test_a_seed_that_is_none_is_refused_before_anything_is_begun():
    with pytest.raises(ParameterError, match="seed must be"):
        run(MIXED, toys.evidence(), seed=-1)


def test_there_is_at_least_one_core():
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(("seconds", "said"), [(0, "1 s"), (59.6, "1 min 0 s"), (3_700, "61 min 40 s")])
def test_a_forecast_is_said_in_few_digits(seconds, said):
    assert said_seconds(seconds) == said
