"""Adversarial networks at their papers' settings on Adult: seconds of processor time an epoch, and to draw.

    OMP_NUM_THREADS=1 python benchmarks/gan_speed.py --method ctgan --steps 65

One epoch of `ctgan` is 65 steps of 500 rows, one of `adsgan` 163 of 200. The ctgan package 0.12.1 took 6.7
seconds of processor time an epoch on one thread of the same machine, 4.9 seconds of wall time on two, 31 to
prepare, and 1.0 to draw 32,561 rows; synthcity's adsgan 12.6 an epoch, 23 to prepare and 3.4 to draw.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import pandas as pd
from setting import DATASETS

import understudy as us

ROWS = 32_561


def main() -> None:
    """Print one line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--method", default="ctgan")
    arguments.add_argument("--steps", type=int, default=65)
    given = arguments.parse_args()
    table = pd.read_csv(DATASETS / "adult.csv.gz").iloc[:ROWS]
    kind: Any = us.synth.get(given.method)
    recipe = kind.paper()
    # The first fit loads torch: it is not counted.
    _, once, more = (spent(replace(recipe, epochs=0, steps=n), table) for n in (1, 1, 1 + given.steps))
    step = (more[0] - once[0]) / given.steps
    epoch = step * (ROWS // recipe.batch)
    print(
        f"{given.method}: {1e3 * step:.1f} ms a step, {epoch:.2f} s an epoch, {once[0]:.1f} s to prepare, "
        f"{more[1]:.2f} s to draw {ROWS:,} rows (processor time)"
    )


def spent(recipe: Any, table: pd.DataFrame) -> tuple[float, float]:
    """Return the processor time of a fit and of a draw."""
    start = time.process_time()
    model = recipe.fit(table, seed=0, progress=False)
    fitted = time.process_time()
    model.sample(ROWS, seed=0)
    return fitted - start, time.process_time() - fitted


if __name__ == "__main__":
    main()
