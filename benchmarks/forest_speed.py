"""ARF on Adult: seconds of one thread to fit, to draw 32,561 rows, and to tell how likely rows are.

    python benchmarks/forest_speed.py
    python benchmarks/forest_speed.py --rows 4000 --peer peers/bin/python

Seconds are those that the thread computes, which a busy machine leaves alone. `--peer` is a Python that has
arfpy, which is then measured on the same rows in the same run. On the machine that the project measures on,
arfpy (as synthcity 0.2.12 runs it: 30 trees, 4,000 rows) took 127 s to fit and 16 s to draw 4,000 rows; all
32,561 rows did not end within 250 s. What cannot be done without is the trees: beside stands what one forest
takes, grown by scikit-learn on the same cells.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import setting
from sklearn.ensemble import RandomForestClassifier

import understudy as us
from understudy.synth.arf import ARF
from understudy.table.columns import to_columns

ARFPY = {4_000: 127.0, 32_561: 250.0}
DRAWN = 32_561
Found = TypeVar("Found")


def main() -> None:
    """Print one block per number of rows."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--rows", type=int, nargs="+", default=list(ARFPY))
    arguments.add_argument("--peer", help="a Python that has arfpy")
    given = arguments.parse_args()
    path = setting.dataset("adult")
    whole = us.read(path).to_pandas()
    for rows in given.rows:
        if given.peer:
            ARFPY[rows] = arfpy(given.peer, path, rows)
        for label, recipe in (("default", ARF()), ("paper", ARF.paper())):
            measure(f"{rows:,} rows, {label}", recipe, whole[:rows])


def measure(title: str, recipe: ARF, frame: object) -> None:
    """Print the seconds of one recipe, and their ratio to arfpy."""
    model, fit = timed(lambda: recipe.fit(frame, progress=False))
    _, draw = timed(lambda: model.sample(DRAWN))
    _, tell = timed(lambda: model.log_density(frame))
    table = us.read(frame)
    limit = trees_alone(to_columns(table.to_arrow(), model.schema), recipe)
    print(f"{title}: fit {fit:.2f} s, draw {DRAWN:,} rows {draw:.2f} s, density {tell:.2f} s", end="")
    print(f" | {len(model.sampler.coverage):,} leaves | one forest alone {limit:.2f} s")
    if (peer := ARFPY.get(len(table))) is not None:
        setting.ratio(f"  fit, {title}", fit, peer, "10x")


def arfpy(python: str, path: Path, rows: int) -> float:
    """Return the seconds of a fit of arfpy."""
    command = [python, str(setting.HERE / "peers" / "arfpy_fit.py"), str(path), str(rows)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"{rows:,} rows, arfpy: fit {told['fit']:.2f} s, draw {rows:,} rows {told['draw']:.2f} s")
    return float(told["fit"])


def trees_alone(columns: dict[str, np.ndarray], recipe: ARF) -> float:
    """Return the seconds that scikit-learn takes for one forest, against shuffled rows."""
    real = np.stack([np.unique(values, return_inverse=True)[1] for values in columns.values()], axis=1)
    rng = np.random.default_rng(0)
    rows = np.concatenate([real, rng.permuted(real, axis=0)]).astype(np.float32)
    truth = np.repeat([1, 0], len(real))
    forest = RandomForestClassifier(recipe.trees, min_samples_leaf=recipe.leaf, n_jobs=1, random_state=0)
    return timed(lambda: forest.fit(rows, truth))[1]


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """Return what the work gives and the seconds of computing it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


if __name__ == "__main__":
    main()
