"""Networks at their papers' settings on Adult: seconds to prepare, an epoch, and to draw; beside a peer.

    OMP_NUM_THREADS=1 python benchmarks/gan_speed.py --methods ctgan tvae --peer peers/bin/python
    python benchmarks/gan_speed.py --methods adsgan nflow

`--peer` is a Python that has the ctgan package: it trains an epoch after each of ours, so that both meet the
same load, and each figure is the median of all turns. On a device an epoch is timed over `--epochs` of them,
since a step is captured once. Figures are processor time on a processor, and time of the clock on a device;
`--clock` asks for the latter everywhere. `--path` has the processor time of the main thread alone, which
waits for the others (how long it waits is not in it): for a machine that is busy.

synthcity 0.2.12 on one thread (docs/results): adsgan 12.6 s an epoch of 163 steps of 200, 23 s to prepare and
3.4 s to draw 32,561 rows; nflow 4.3 s, 34 s, and 2.5 s for 200 rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, final

import pandas as pd
from setting import HERE, dataset, settings_of

import understudy as us

ROWS, WHOLE = 32_561, 300
Seconds = tuple[float, ...]


def main() -> None:
    """Print a line for each method, and one beside it for the peer."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--methods", nargs="*", default=["ctgan", "tvae"])
    arguments.add_argument("--peer", help="a Python that has the ctgan package")
    arguments.add_argument("--turns", type=int, default=3)
    arguments.add_argument("--epochs", type=int, default=1, help="epochs in a turn of ours")
    arguments.add_argument("--clock", action="store_true", help="time of the clock, not of the processor")
    arguments.add_argument("--path", action="store_true", help="processor time of the main thread alone")
    arguments.add_argument("--set", nargs="*", default=[], help="settings, as precision='\"bf16\"'")
    given = arguments.parse_args()
    import torch

    which = 2 if given.path else int(given.clock or torch.cuda.is_available())
    for method in given.methods:
        peer = Peer(given.peer, method) if given.peer and method in ("ctgan", "tvae") else None
        kind: Any = us.synth.get(method)
        recipe = replace(kind.paper(), **settings_of(given.set))
        ours, theirs = turns(recipe, given.turns, given.epochs, peer)
        told = {key: median(pair[which] for pair in pairs) for key, pairs in ours.items()}
        print(f"{method:<9} ours {line(told)}", flush=True)
        if peer is not None:
            beside = {key: median(pair[which] for pair in pairs) for key, pairs in theirs.items()}
            print(f"{method:<9} peer {line(beside)}")
            ratios = {key: beside[key] / told[key] for key in told}
            whole = (beside["prepare"] + WHOLE * beside["epoch"]) / (told["prepare"] + WHOLE * told["epoch"])
            print(f"{method:<9} times faster: {line(ratios)}, {WHOLE} epochs with preparation {whole:.1f}")


def turns(
    recipe: Any, count: int, epochs: int, peer: Peer | None
) -> tuple[dict[str, list[Seconds]], dict[str, list[Seconds]]]:
    """Return what ours and the peer's took, in turns."""
    table = pd.read_csv(dataset("adult")).iloc[:ROWS]
    steps = recipe.batches(ROWS)
    fit(replace(recipe, epochs=0, steps=5), table)  # loads torch, and wakes the device: not counted
    ours: dict[str, list[Seconds]] = {"prepare": [], "epoch": [], "draw": []}
    theirs: dict[str, list[Seconds]] = {"prepare": [], "epoch": [], "draw": []}
    if peer is not None:
        theirs["prepare"].append(peer.told("prepare"))
    for _ in range(count):
        first = fit(replace(recipe, epochs=0, steps=5), table)[0]
        more, drawn = fit(replace(recipe, epochs=0, steps=5 + epochs * steps), table)
        one = epochs * steps
        ours["epoch"].append(tuple((b - a) * steps / one for a, b in zip(first, more, strict=True)))
        ours["prepare"].append(first)
        ours["draw"].append(drawn)
        if peer is not None:
            theirs["epoch"].append(peer.epoch())
    if peer is not None:
        theirs["draw"].append(peer.end())
    return ours, theirs


def fit(recipe: Any, table: pd.DataFrame) -> tuple[Seconds, Seconds]:
    """Return what a fit and a draw took."""
    start = now()
    model = recipe.fit(table, seed=0, progress=False)
    fitted = now()
    model.sample(ROWS, seed=0)
    return spent(start, fitted), spent(fitted, now())


def now() -> Seconds:
    """Return processor time, that of the clock, and processor time of this thread."""
    return time.process_time(), time.perf_counter(), time.thread_time()


def spent(start: Seconds, end: Seconds) -> Seconds:
    """Return the differences."""
    return tuple(b - a for a, b in zip(start, end, strict=True))


def line(told: dict[str, float]) -> str:
    """Return the figures in words."""
    return f"prepare {told['prepare']:.3g}, an epoch {told['epoch']:.3g}, draw {told['draw']:.3g}"


@final
class Peer:
    """The package in a process of its own, which trains an epoch when it is told to."""

    def __init__(self, python: str, method: str) -> None:
        command = [
            python,
            str(HERE / "peers" / "ctgan_epochs.py"),
            method,
            str(Path(dataset("adult"))),
            str(ROWS),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def told(self, what: str) -> Seconds:
        """Return the next figures, which are of `what`."""
        assert self._process.stdout is not None, "there is a pipe"
        return tuple(json.loads(self._process.stdout.readline())[what])

    def epoch(self) -> Seconds:
        """Let it train an epoch."""
        assert self._process.stdin is not None, "there is a pipe"
        self._process.stdin.write("1\n")
        self._process.stdin.flush()
        return self.told("epoch")

    def end(self) -> Seconds:
        """Let it draw, and end."""
        assert self._process.stdin is not None, "there is a pipe"
        self._process.stdin.close()
        found = self.told("draw")
        self._process.wait()
        return found


if __name__ == "__main__":
    main()
