"""A toy private run, to be killed: python toy.py FOLDER [debit-after-use].

It pays for three noisy sums, reads them one by one and writes each to FOLDER/releases, synced, before it
goes on. Taken up again after a crash it must release the same numbers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from understudy.errors import UnderstudyError
from understudy.privacy.budget import Budget
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian
from understudy.privacy.ledger import Ledger
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.stream import Stream
from understudy.privacy.vault import Vault

READS = 3
ENTRIES = [Entry("three sums", "measure", Gaussian(8.0, READS), because="clipped", name="sums")]
BUDGET = Budget(epsilon=1.0, delta=1e-6)  # for one run, not for two
ROWS = {"a": np.arange(100) % 7}
MARK = "begin-here"


def _vectors(columns):
    return columns["a"].astype(float)[:, None]


SUM = ClippedSums(_vectors, ("a",), 1, 6.0, Gaussian(8.0))


def run(ledger: Ledger, releases: Path | None) -> None:
    """Pay, then read and tell."""
    vault = Vault(ROWS, ledger, ledger.reserve(ENTRIES, BUDGET, "toy"))
    for number in range(READS):
        _tell(releases, f"{number} {vault.read('sums', SUM)[0]!r}")
    _tell(releases, "done")
    ledger.finish()


def run_and_pay_later(ledger: Ledger, releases: Path | None) -> None:
    """Do what must never be done: read first and pay afterwards."""
    noise = Stream.fresh()
    for number in range(READS):
        _tell(releases, f"{number} {SUM.release(SUM.statistic(ROWS), noise.child(number))[0]!r}")
    ledger.reserve(ENTRIES, BUDGET, "toy")
    _tell(releases, "done")


def _tell(releases: Path | None, line: str) -> None:
    if releases is None:
        return
    descriptor = os.open(releases, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(descriptor, f"{line}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def main() -> int:
    """Run once; the exit code is 0 when it is over, 3 when something was refused or failed."""
    folder = Path(sys.argv[1])
    kind = run_and_pay_later if sys.argv[2:] == ["debit-after-use"] else run
    kind(Ledger(), None)  # everything that is loaded late is loaded now
    try:
        (folder / MARK).exists()
        releases = folder / "releases"
        if releases.exists() and "done" in releases.read_text().split("\n"):
            return 0
        kind(Ledger(folder / "run"), releases)
    except (UnderstudyError, OSError) as error:
        print(type(error).__name__, error)
        return 3
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # what the interpreter does on its way out is not ours
