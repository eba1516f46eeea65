"""Is any column or pair of a network's tables farther from the training rows than the Gaussian copula's?

    python benchmarks/diffusion_pairs.py --tables faults wine --seeds 2

One table of each says little: chance alone makes half of the columns larger. So of every trained model, and
of the copula, eight tables are drawn, and the mean total variations (20 quantile bins) are compared. A line
for each model counts what is farther, and what is so for sure: by more standard errors than the largest of
all the comparisons made has by chance once in twenty times.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
from diffusion_quality import Judge
from scipy.stats import norm

import understudy as us

TABLES = ("bean", "wine", "abalone", "faults", "housing", "cardio")
DRAWS = 8
SURE = float(norm.isf(0.05 / 815))  # columns and pairs of the six tables


class Beside(NamedTuple):
    """Mean total variations of a column or pair, and the standard error of their difference."""

    names: tuple[str, ...]
    network: float
    copula: float
    error: float

    @property
    def farther(self) -> float:
        """By how much the network's is farther."""
        return self.network - self.copula


def main() -> None:
    """Print a line per table and seed, and one for each column or pair that is farther."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    arguments.add_argument("--method", default="tabdiff")
    arguments.add_argument("--seeds", type=int, default=2)
    given = arguments.parse_args()
    for table in given.tables:
        judge = Judge(table)
        copula = drawn(judge, us.synth.get("gaussian_copula")().fit(judge.train, progress=False))
        for seed in range(given.seeds):
            start = time.perf_counter()
            model = us.synth.get(given.method)().fit(judge.train, seed=seed, progress=False)
            print(f"{table:<9} {given.method} {seed} {time.perf_counter() - start:6.1f} s", end=" | ")
            tell(beside(drawn(judge, model), copula))


def drawn(judge: Judge, model: us.Model) -> list[dict[tuple[str, ...], float]]:
    """Return the total variations of several tables as large as the train part."""
    return [judge.variations(model.sample(len(judge.train), seed=seed)) for seed in range(DRAWS)]


def beside(
    network: list[dict[tuple[str, ...], float]], copula: list[dict[tuple[str, ...], float]]
) -> list[Beside]:
    """Return every column and pair, the farthest first."""
    found = []
    for names in network[0]:
        ours, theirs = (np.array([each[names] for each in draws]) for draws in (network, copula))
        error = float(np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / DRAWS))
        found.append(Beside(names, float(ours.mean()), float(theirs.mean()), error))
    return sorted(found, key=lambda each: -each.farther)


def tell(found: list[Beside]) -> None:
    """Print what is farther, of columns and of pairs."""
    for word, size in (("columns", 1), ("pairs", 2)):
        these = [each for each in found if len(each.names) == size]
        sure = sum(each.farther > SURE * each.error for each in these)
        print(
            f"{word} {sum(each.farther > 0 for each in these)} farther ({sure} for sure) of {len(these)}",
            end="  ",
        )
    print(flush=True)
    for each in found:
        if each.farther > 0:
            line = f"{each.network:.4f} against {each.copula:.4f}, standard error {each.error:.4f}"
            print(f"          {' and '.join(each.names)}: {line}", flush=True)


if __name__ == "__main__":
    main()
