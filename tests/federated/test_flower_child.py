"""A child of a process that was killed does not stay behind."""

import os
import subprocess
import sys
import time

PARENT = """
import subprocess, sys
code = "import os, time; from understudy.federated.flower_child import end_with_parent; " \
       "end_with_parent(os.getppid()); print('up', flush=True); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""


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
