"""Kill a writer before every single call that changes the disk, and look at what it left.

The code under test defines before(folder), write(folder) and look(folder). Every step runs in a process of
its own, forked from one that has done nothing yet but import.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

CALLS = ("replace", "rename", "link", "fsync", "chmod", "mkdir", "rmdir", "unlink")

HARNESS = """
import importlib, itertools, json, os, pathlib, signal, sys, tempfile

def apart(step, *arguments):
    child = os.fork()
    if child == 0:
        try:
            step(*arguments)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]

def dying(place, folder):
    count = itertools.count(1)
    def counted(real):
        def call(*arguments, **options):
            if next(count) == place:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)
        return call
    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    for module, name in MORE:
        module = importlib.import_module(module)
        setattr(module, name, counted(getattr(module, name)))
    write(folder)

outcomes = []
for place in itertools.count(1):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        assert apart(before, folder) == 0
        status = apart(dying, place, folder)
        if status == 0:
            break
        assert os.WIFSIGNALED(status), status
        killed = look(folder)
        assert apart(write, folder) == 0
        outcomes.append([killed, look(folder)])
print(json.dumps(outcomes))
"""


def killed_at_every_call(code: str, more: Sequence[tuple[str, str]] = ()) -> list[Any]:
    """Return, for every call, what was there after the kill and what after the next, whole run."""
    script = f"CALLS, MORE = {CALLS!r}, {list(more)!r}\n{code}\n{HARNESS}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    outcomes: list[Any] = json.loads(done.stdout)
    return outcomes
