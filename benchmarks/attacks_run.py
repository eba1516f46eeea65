"""The panel on Adult: seconds, with shadow models and without, on the cores that there are.

    python benchmarks/attacks_run.py [--recipe gaussian_copula] [--targets 10000]

Train, holdout and reference are thirds of Adult, the synthetic table one of the recipe. First the level
`standard` with its attacks that need no shadow models, then what needs them: the panel of paper 000 and the
ensemble, each with 20 models. Attacks of the level `full` but the ensemble are not part of it.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import setting

import understudy as us
from understudy import attacks
from understudy.result import Result
from understudy.table.evidence import Evidence

SHADOWED = ("mia", "ensemble")


def main() -> None:
    """Print the seconds of both parts, and what every attack found."""
    asked = arguments()
    evidence = thirds(asked.recipe)
    start = time.perf_counter()
    alone = [name for name in attacks.at("standard") if name not in SHADOWED]
    results = attacks.run(evidence, names=alone, progress=False)
    without = time.perf_counter() - start
    show(results)
    print(f"without shadow models: {len(alone)} attacks in {without:.0f} s (wanted: 90)", flush=True)
    start = time.perf_counter()
    for name in SHADOWED:
        show([attacks.get(name)(recipe=asked.recipe, targets=asked.targets, models=20, workers=2)(evidence)])
    both = without + time.perf_counter() - start
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"with them: {both:.0f} s (wanted: 600); largest process {most / 2**20:.2f} GiB")


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recipe", default="gaussian_copula")
    parser.add_argument("--targets", type=int, default=10_000)
    return parser.parse_args()


def thirds(recipe: str) -> Evidence:
    """Deal out Adult, and fit the recipe on a third."""
    adult = us.read(setting.dataset("adult")).to_arrow()
    order, size = np.random.default_rng(0).permutation(adult.num_rows), adult.num_rows // 3
    train, holdout, reference = (adult.take(order[part * size :][:size]) for part in range(3))
    drawn = us.synth.get(recipe)().fit(train, progress=False).sample(size, seed=0)
    synthetic = us.read(drawn).to_arrow()
    return Evidence(train=train, holdout=holdout, reference=reference, synthetic=synthetic)


def show(results: list[Result]) -> None:
    """Print a line for each result."""
    for found in results:
        span = f"{found.value:8.4f} ({found.low:.4f} to {found.high:.4f}), null {found.null:.4f}"
        print(f"{found.name:<34} {span}   {found.seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
