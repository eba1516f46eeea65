"""Killing a process, or failing one of its calls, at every place where it touches the disk (strace)."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from privacy.kill import toy
from understudy.privacy.ledger import Ledger

STRACE = shutil.which("strace")
CALLS = (
    "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "unlink", "mkdir", "ftruncate", "fcntl",
    "read", "pread64", "newfstatat", "close", "lseek",
)  # fmt: skip
TOY = Path(toy.__file__)
FAULTS = ("ENOSPC", "EIO")


@dataclass(frozen=True)
class Point:
    """The so-many-th call of a name."""

    call: str
    number: int

    def __str__(self) -> str:
        return f"{self.call}#{self.number}"


def points(folder: Path, *extra: str) -> list[Point]:
    """Run once unharmed and return every call between the mark and the end, in order."""
    log = folder / "log"
    traced = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={','.join(CALLS)}"]
    done = _run(folder, traced, extra)
    assert done.returncode == 0, done.stdout + done.stderr
    counts: Counter[str] = Counter()
    found, begun = [], False
    for line in log.read_text().splitlines():
        called = re.match(r"\d+\s+(\w+)\(", line)
        if called:
            counts[called[1]] += 1
            begun = begun or toy.MARK in line
            if begun and toy.MARK not in line:
                found.append(Point(called[1], counts[called[1]]))
    return found


def killed(folder: Path, point: Point, *extra: str) -> bool:
    """Run and kill at a point; say whether the kill came. Calls vary a little: a point may not be reached."""
    done = _run(folder, _inject(folder, point, "signal=KILL"), extra)
    assert done.returncode in {0, -signal.SIGKILL}, f"{point}: {done.returncode} {done.stdout}{done.stderr}"
    return done.returncode == -signal.SIGKILL


def failed(folder: Path, point: Point, fault: str) -> tuple[bool, subprocess.CompletedProcess[str]]:
    """Run with one call failing; say whether it did."""
    done = _run(folder, _inject(folder, point, f"error={fault}"), ())
    return "(INJECTED)" in (folder / "log").read_text(), done


def again(folder: Path, *extra: str) -> subprocess.CompletedProcess[str]:
    """Run unharmed."""
    return _run(folder, [], extra)


def releases(folder: Path) -> dict[str, set[str]]:
    """Return, for each read, all the values that were ever told; a line cut off by the kill was told too."""
    path = folder / "releases"
    lines = path.read_text().split("\n") if path.exists() else []
    told: dict[str, set[str]] = {}
    for number, _, value in (line.partition(" ") for line in lines if " " in line):
        told.setdefault(number, set()).add(value)
    return told


def problems(folder: Path) -> list[str]:
    """Return what is wrong after a crash: the ledger must be whole and cover all that was told."""
    if not (folder / "run").exists():
        return ["something was told and there is no ledger"] if releases(folder) else []
    entries = Ledger(folder / "run").entries  # refuses a chain that does not hold
    found = []
    if releases(folder) and len(entries) < 1:
        found.append("something was told that was not paid for")
    if len(entries) > 1:
        found.append("a run was paid for twice")
    if any(len(values) > 1 for values in releases(folder).values()):
        found.append("the same read was told with two different noises, and paid for once")
    return found


def _inject(folder: Path, point: Point, what: str) -> list[str]:
    # No --seccomp-bpf here: with it strace 6.1 leaves out the injection without a word.
    inject = f"inject={point.call}:{what}:when={point.number}"
    return ["strace", "-f", "-qq", "-o", str(folder / "log"), "-e", f"trace={point.call}", "-e", inject]


def _run(folder: Path, before: list[str], extra: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    # One thread, no cache files, a fixed hash: the calls before the mark are the same in every run.
    quiet = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [*before, sys.executable, "-B", str(TOY), str(folder), *extra]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=False, env={**os.environ, **quiet}
    )
