"""A private federation that is killed before a call that changes the disk, and taken up; what came of it.

Each run is a fork of one process, as importing torch takes longer than training here does. Killed is meant as
`kill -9`: nothing is cleaned up, no buffer is written. Sites and server die together.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np

from federated.parties import BUDGET, sites, terms, weights_of
from understudy.federated.federation import Federation
from understudy.privacy import Ledger

AGREED = terms(private=True, rounds=3, local_steps=2)
CALLS = ("replace", "fsync", "unlink")


def federate(folder: Path, last: int | None) -> None:
    """Run the federation; die before the call of that number, if there is one."""
    count = itertools.count(1)
    for name in CALLS:
        setattr(os, name, dying(getattr(os, name), count, last))
    model = Federation(sites(BUDGET, count=2, folder=folder), AGREED, keep=folder / "server").fit()
    weights = b"".join(np.ascontiguousarray(each).tobytes() for each in weights_of(model).values())
    (folder / "found").write_text(hashlib.sha256(weights).hexdigest())
    (folder / "calls").write_text(str(next(count)))


def dying(real, count, last):
    def call(*arguments, **options):
        if next(count) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)

    return call


def apart(folder: Path, last: int | None) -> int:
    """Run in a process of its own and return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            federate(folder, last)
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as its parent
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def entries(folder: Path) -> list[int]:
    """Return how many entries each ledger has."""
    return [len(Ledger(folder / f"site{k}").entries) for k in range(2)]


def main(stride: int) -> None:
    """Kill at every so-manyth call, take the run up, and print how each one ended."""
    Federation(sites(BUDGET, count=2), AGREED).fit()  # prices are computed once, for all that are forked
    with tempfile.TemporaryDirectory() as name:
        assert apart(Path(name), None) == 0
        calls = int((Path(name) / "calls").read_text())
    outcomes = []
    for last in range(1, calls, stride):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            status = apart(folder, last)
            killed = os.WIFSIGNALED(status)
            again = apart(folder, None)
            found = (folder / "found").read_text() if (folder / "found").exists() else ""
            outcomes.append([last, killed, again, bool(found), entries(folder)])
    print(json.dumps({"calls": calls, "outcomes": outcomes}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
