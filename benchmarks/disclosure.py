"""Paper 004's membership disclosure score of several methods on one table, beside its Tables 7 and 8.

    python benchmarks/disclosure.py [--table abalone] [--methods copy mst privsyn] [--models 20] [--sets 20]
                                    [--targets 2000 | all] [--workers 2] [--set tabddpm:steps=1000 ...]

The records are the training part of the paper's split (64 %). `copy` is the paper's SELF. The paper has 100
sets and every record; the null says what a generator that saw no record would score with as many as here.
Seconds are those of all, of them those of training and drawing, and those of distances.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import setting

import understudy as us
from understudy.attacks import mds
from understudy.attacks.mds import MDS
from understudy.measuring import shadow_cast
from understudy.table.evidence import Evidence

PRINTED = {
    "adult": {"mst": 0.031, "privsyn": 0.046, "tabddpm": 0.204, "copy": 0.733},
    "phishing": {"mst": 0.038, "privsyn": 0.017, "tabddpm": 0.082, "copy": 0.125},
    "faults": {"mst": 0.030, "privsyn": 0.004, "tabddpm": 0.092, "copy": 0.209},
    "bean": {"mst": 0.015, "privsyn": 0.006, "tabddpm": 0.020, "copy": 0.273},
    "robot": {"mst": 0.008, "privsyn": 0.012, "tabddpm": 0.113, "copy": 0.338},
    "abalone": {"mst": 0.030, "privsyn": 0.012, "tabddpm": 0.120, "copy": 0.285},
    "insurance": {"mst": 0.006, "privsyn": 0.013, "tabddpm": 0.027, "copy": 0.078},
    "wine": {"mst": 0.030, "privsyn": 0.008, "tabddpm": 0.075, "copy": 0.346},
}
TRAIN = 0.64


def main() -> None:
    """Print one line for each method."""
    asked = arguments()
    table = us.read(setting.dataset(asked.table)).to_arrow()
    order = np.random.default_rng(0).permutation(table.num_rows)
    train = table.take(order[: int(TRAIN * len(order))])
    evidence = Evidence(train=train, synthetic=table.take(order[int(TRAIN * len(order)) :]))
    print(f"{asked.table}, {train.num_rows:,} records, {asked.models} models x {asked.sets} sets")
    head = f"{'method':<17} {'MDS':>7}   {'interval':<18} {'null':>7} {'p':>6} {'shrunken':>9}"
    print(f"{head} {'99 %':>7} {'seconds':>8} {'shadows':>8} {'ways':>6}   paper 004")
    spent = {"train": watched(shadow_cast, "train"), "ways": watched(mds, "shadow_distances")}
    for method in asked.methods:
        start = time.perf_counter()
        for each in spent.values():
            each.clear()
        found = MDS(
            recipe=method,
            settings=json.dumps(settings_of(method, asked.set)),
            models=asked.models,
            sets=asked.sets,
            records=train.num_rows,
            targets=train.num_rows if asked.targets == "all" else int(asked.targets),
            workers=asked.workers,
        )(evidence)
        parts, seconds = found.parts, time.perf_counter() - start
        span = f"{found.low:.3f} to {found.high:.3f}"
        line = f"{method:<17} {found.value:7.3f}   {span:<18} {found.null:7.3f} {parts['p_value']:6.3f}"
        rest = f"{parts['shrunken']:9.3f} {parts['quantile_99']:7.3f} {seconds:8.0f}"
        rest += f" {sum(spent['train']):8.0f} {sum(spent['ways']):6.0f}"
        print(f"{line} {rest}   {PRINTED.get(asked.table, {}).get(method, '')}", flush=True)


def watched(room: Any, name: str) -> list[float]:
    """Return a list that a function of a module adds the seconds of each call to, from now on."""
    inner, spent = getattr(room, name), list[float]()

    def call(*given: Any, **more: Any) -> Any:
        begun = time.perf_counter()
        found = inner(*given, **more)
        spent.append(time.perf_counter() - begun)
        return found

    setattr(room, name, call)
    return spent


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--table", default="abalone")
    parser.add_argument("--methods", nargs="+", default=["copy", "mst", "privsyn", "gaussian_copula"])
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--targets", default="2000")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--set", nargs="*", default=[], help="method:key=value")
    return parser.parse_args()


def settings_of(method: str, pairs: list[str]) -> dict[str, object]:
    """Return the settings that are of this method."""
    mine = (pair.split(":", 1)[1] for pair in pairs if pair.split(":", 1)[0] == method)
    return setting.settings_of(list(mine))


if __name__ == "__main__":
    main()
