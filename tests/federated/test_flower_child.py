"""A child of a process that was killed does not stay behind, and a SuperNode stays in step."""

import inspect
import os
import subprocess
import sys
import time
import types

import pytest
from flwr.supernode import start_client_internal

from understudy.federated.flower_child import OutOfStep, end_when_out_of_step

PARENT = """
import subprocess, sys
code = "import os, time; from understudy.federated.flower_child import end_with_parent; " \
       "end_with_parent(os.getppid()); print('up', flush=True); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.parametrize(
    ("question", "taken", "ends"), [(None, None, False), ("q", 7, False), ("q", None, True)]
)
def test_a_supernode_that_dropped_a_question_ends(question, taken, ends):
    module = types.ModuleType("loop")
    module._pull_and_store_message = lambda **parts: taken if parts["receive"]() == question else "odd"
    end_when_out_of_step(module)
    if ends:
        with pytest.raises(OutOfStep):
            module._pull_and_store_message(receive=lambda: question, state=None)
    else:
        assert module._pull_and_store_message(receive=lambda: question, state=None) == taken


def test_flower_still_has_the_loop_that_is_mended():
    source = inspect.getsource(start_client_internal.start_client_internal)
    assert "_pull_and_store_message(" in source and "run_id is None" in source
    assert "receive()" in inspect.getsource(start_client_internal._pull_and_store_message)


def test_a_child_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    try:
        child = int(parent.stdout.readline())
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    for _ in range(200):
        if not _runs(child):
            return
        time.sleep(0.05)
    os.kill(child, 9)
    raise AssertionError("the child stayed behind")


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
