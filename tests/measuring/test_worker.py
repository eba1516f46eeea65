"""A worker answers a line with a line, and leaves when nobody asks any more."""

import os
import subprocess
import sys
import time

import pytest

from measuring import toys
from understudy.measuring.job import answered, job
from understudy.measuring.sharing import shared


@pytest.fixture
def worker():
    with shared(toys.evidence()) as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "understudy.measuring.worker", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        yield process
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def ask(worker, measure):
    worker.stdin.write(job(measure, 0) + "\n")
    worker.stdin.flush()
    return answered(worker.stdout.readline())


def test_jobs_are_answered_one_after_another_whatever_libraries_print(worker):
    assert ask(worker, toys.Chatty()).value == 1.0
    assert ask(worker, toys.Refusing()).notes[0].startswith("not measured: toy")
    assert ask(worker, toys.Drawn()).value == toys.Drawn()(toys.evidence()).value


def test_a_worker_whose_master_is_gone_leaves_in_the_middle_of_a_job(worker):
    ask(worker, toys.Chatty())
    worker.stdin.write(job(toys.Slow(seconds=60.0), 0) + "\n")
    worker.stdin.flush()
    time.sleep(0.2)
    worker.stdin.close()
    assert worker.wait(timeout=20) is not None
