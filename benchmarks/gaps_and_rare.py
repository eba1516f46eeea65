"""What networks draw of columns with gaps, and around conditions that hardly any row meets.

    OMP_NUM_THREADS=1 python benchmarks/gaps_and_rare.py --methods ctgan tvae nflow

Three lines a method, each of a fit of `--steps` steps on made rows, of which the law is known:

- a number that is missing where another one is high: Kolmogorov's distance of what is there to the rows'
- a number of which nine in ten are 0, with gaps at random: the share of noughts, and the rows'
- rows asked for around the largest number, and in a range that hardly a row is in: the largest share that one
  value of another column has, and how many different values the range got, of 1,000 rows
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp

import understudy as us

METHODS = ("ctgan", "copulagan", "adsgan", "pategan", "tvae", "nflow")


def main() -> None:
    """Print three lines a method."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--methods", nargs="*", default=list(METHODS))
    arguments.add_argument("--steps", type=int, default=400)
    given = arguments.parse_args()
    for method in given.methods:
        kind: Any = us.synth.get(method)
        recipe = replace(kind(), steps=given.steps)
        print(f"{method:10s} gaps        {gaps(recipe):.3f} from the rows' own law", flush=True)
        noughts, real = spike(recipe)
        print(f"{method:10s} spike       {noughts:.3f} are 0, of the rows {real:.3f}", flush=True)
        share, values = rare(recipe)
        print(f"{method:10s} rare        {share:.3f} are one row, {values} values in the range", flush=True)


def gaps(recipe: Any) -> float:
    """Return how far the numbers that are there are from the rows' own."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=1_500)
    second = 50 + 5 * (0.8 * first + 0.6 * rng.normal(size=1_500))
    second[rng.random(1_500) < 1 / (1 + np.exp(-2 * first))] = np.nan
    table = pd.DataFrame({"first": first, "second": second, "third": first + rng.normal(0, 0.5, 1_500)})
    drawn = recipe.fit(table, seed=0, progress=False).sample(4_000, seed=1)
    return float(ks_2samp(table["second"].dropna(), drawn["second"].dropna()).statistic)


def spike(recipe: Any) -> tuple[float, float]:
    """Return the share of noughts among the numbers that are there, drawn and real."""
    rng = np.random.default_rng(0)
    number = np.where(rng.random(1_500) < 0.9, 0.0, rng.gamma(2, 3_000, 1_500).round(2))
    number[rng.random(1_500) < 0.4] = np.nan
    table = pd.DataFrame({"number": number, "word": rng.choice(["a", "b"], 1_500)})
    drawn = recipe.fit(table, seed=0, progress=False).sample(3_000, seed=1)
    noughts, real = (float((each["number"].dropna() == 0).mean()) for each in (drawn, table))
    return noughts, real


def rare(recipe: Any) -> tuple[float, int]:
    """Return the largest share of one row around the largest number, and the values that a range got."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=2_000)
    table = pd.DataFrame({"a": first, "b": first + rng.normal(0, 0.5, 2_000), "c": rng.gamma(2, 3, 2_000)})
    model = recipe.fit(table, seed=0, progress=False)
    around = model.sample(1_000, seed=1, where={"a": float(first.max())})
    within = model.sample(1_000, seed=1, where={"a": (2.9, 3.0), "b": (None, 0.0)})
    return float(around["c"].value_counts(normalize=True).iloc[0]), int(within["a"].nunique())


if __name__ == "__main__":
    main()
