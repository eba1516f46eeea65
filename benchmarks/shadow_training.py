"""Shadow models of one network method on halves of a table: trained as one against one by one.

    python benchmarks/shadow_training.py [--table adult] [--method tabddpm] [--models 20] [--alone 2]
                                         [--set steps=4000 ...]

`--alone` models are trained one by one, and their time is scaled to all. Seconds are those of trainings;
looking at columns and encoding rows is the same for both, and is printed beside them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import setting
import torch

import understudy as us
from understudy.engines.training import openly, together

SHARE = 0.64  # of the table is what paper 004 calls its records


def main() -> None:
    """Print both times and their ratio."""
    asked = arguments()
    table = us.read(setting.dataset(asked.table)).to_arrow()
    records = int(SHARE * table.num_rows)
    recipe = us.synth.get(asked.method)(**setting.settings_of(asked.set))
    rng = np.random.default_rng(0)
    halves = [table.take(rng.permutation(records)[: records // 2]) for _ in range(asked.models)]
    jobs = [partial(recipe.fit, half, seed=k, progress=False) for k, half in enumerate(halves)]
    short = type(recipe)(**{**recipe.settings(), "steps": 20})
    warm = [partial(short.fit, half, progress=False) for half in halves]
    together.together(warm)
    warm[0]()
    stacked = timed(together, "_train", lambda: together.together(jobs))
    alone = timed(openly.OpenFit, "train", lambda: [job() for job in jobs[: asked.alone]])
    scale = asked.models / asked.alone
    where = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"{asked.table}, {asked.method}, {asked.models} models of {records // 2:,} rows, {where}")
    print(f"  as one      {stacked[0]:7.1f} s of training, {stacked[1]:7.1f} s with all else")
    print(
        f"  one by one  {scale * alone[0]:7.1f} s of training, {scale * alone[1]:7.1f} s (of {asked.alone})"
    )
    print(f"  training {scale * alone[0] / stacked[0]:.1f}x faster, all {scale * alone[1] / stacked[1]:.1f}x")


def timed(room: Any, name: str, call: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that a call spends in a function, and those of the whole call."""
    inner, spent = getattr(room, name), [0.0]

    def watched(*given: Any, **more: Any) -> Any:
        begun = time.perf_counter()
        try:
            return inner(*given, **more)
        finally:
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            spent[0] += time.perf_counter() - begun

    setattr(room, name, watched)
    begun = time.perf_counter()
    try:
        call()
    finally:
        setattr(room, name, inner)
    return spent[0], time.perf_counter() - begun


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--table", default="adult")
    parser.add_argument("--method", default="tabddpm")
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--alone", type=int, default=2)
    parser.add_argument("--set", nargs="*", default=[], help="key=value")
    return parser.parse_args()


if __name__ == "__main__":
    main()
