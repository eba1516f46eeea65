"""The diffusion family without a budget: how good its tables are, beside the Gaussian copula's.

    python benchmarks/diffusion_quality.py --tables adult --methods tabdiff --seeds 3
    python benchmarks/diffusion_quality.py --tables bean wine abalone faults housing cardio

Methods see the train part alone (of adult the first 32,561 rows, of others 80 % of the rows). Each line has

    fit, sample   seconds
    fidelity      pairwise Wasserstein, over the real-against-real value at the same number of rows
    detection     AUROC of a 5-fold boosted classifier that tells synthetic from real rows
    use           what XGBoost loses by training on synthetic instead of real rows: AUROC (each class against
                  the rest), or R2; in brackets scikit-learn's boosting, alone where XGBoost is missing
    columns, pairs  whose total variation (20 quantile bins) exceeds the copula's, and by more than 0.01
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from setting import DATASETS, settings_of
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import r2_score, roc_auc_score

import understudy as us

ADULT_TRAIN = 32_561
NETWORKS = ("findiff", "tabddpm", "tabdiff", "tablediffusion", "tabsyn", "tldm")
Shares = dict[tuple[str, ...], npt.NDArray[np.float64]]


def main() -> None:
    """Print one line per table, method and seed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="+", default=["adult"])
    arguments.add_argument("--methods", nargs="+", default=["tabdiff"])
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--set", nargs="*", default=[], help="settings of the methods, key=value")
    given = arguments.parse_args()
    for name in given.tables:
        judge = Judge(name)
        for method in given.methods:
            for seed in range(given.seeds):
                print(
                    f"{name:9s} {method:15s} {seed} {judge(method, seed, settings_of(given.set))}", flush=True
                )


class Judge:
    """One table: its parts, and what can be made of it."""

    def __init__(self, name: str) -> None:
        facts = json.loads((DATASETS / f"{name}.json").read_text())
        self.target, self.task = facts["target"], facts["task"]
        ids = [column for column, kind in facts["column_kinds"].items() if kind == "id"]
        whole = pd.read_csv(DATASETS / f"{name}.csv.gz").drop(columns=ids)
        order = np.arange(len(whole)) if name == "adult" else np.random.default_rng(0).permutation(len(whole))
        cut = ADULT_TRAIN if name == "adult" else round(0.8 * len(whole))
        self.train, self.test = (
            whole.iloc[part].reset_index(drop=True) for part in (order[:cut], order[cut:])
        )
        self.edges = {c: edges_of(self.train[c]) for c in self.train}
        self.shares = self.shares_of(self.train)
        self.best = self.use(self.train)

    @cached_property
    def copula(self) -> dict[tuple[str, ...], float]:
        """How far the Gaussian copula's columns and pairs are off."""
        copula = us.synth.get("gaussian_copula")().fit(self.train, progress=False)
        return self.variations(copula.sample(len(self.train), seed=0))

    def __call__(self, method: str, seed: int, settings: dict[str, object]) -> str:
        """Fit, sample and judge; return the line."""
        start = time.perf_counter()
        model = us.synth.get(method)(**settings).fit(self.train, seed=seed, progress=False)
        fitted = time.perf_counter()
        table = model.sample(len(self.train), seed=seed)
        drawn = time.perf_counter()
        return f"fit {fitted - start:6.1f} sample {drawn - fitted:6.1f} | {self.verdict(table, seed)}"

    def verdict(self, table: pd.DataFrame, seed: int) -> str:
        """Return what the measures say of a table, whoever made it."""
        evidence = us.Evidence(train=self.train, holdout=self.test, synthetic=table)
        fidelity = us.metrics.get("wasserstein")()(evidence, seed=seed)
        detection = us.metrics.get("detection")()(evidence, seed=seed)
        found = self.variations(table)
        worse = {n: [found[k] - self.copula[k] for k in found if len(k) == n] for n in (1, 2)}
        told = [
            f"{sum(d > 0 for d in worse[n])}/{sum(d > 0.01 for d in worse[n])} of {len(worse[n])}"
            for n in (1, 2)
        ]
        return (
            f"fidelity {fidelity.value:.4f} = {fidelity.value / fidelity.null:4.2f}x real | "
            f"detection {detection.value:.3f} | use {self.lost(table)} | "
            f"columns {told[0]}, pairs {told[1]}"
        )

    def use(self, table: pd.DataFrame) -> dict[str, float]:
        """Train each kind of trees on a table, judge on the real test part."""
        inputs = [c for c in self.train if c != self.target]
        x, z = (self.coded(t)[inputs] for t in (table, self.test))
        if self.task == "regression":
            truth = self.test[self.target]
            return {
                name: float(r2_score(truth, trees[1]().fit(x, table[self.target]).predict(z)))
                for name, trees in boosters().items()
            }
        levels = sorted(self.train[self.target].astype(str).unique())
        y = table[self.target].astype(str).map(levels.index)
        truth = self.test[self.target].astype(str)
        return {
            name: float(np.mean(areas(trees[0]().fit(x, y), z, levels, truth)))
            for name, trees in boosters().items()
        }

    def lost(self, table: pd.DataFrame) -> str:
        """Return what is lost by each kind of trees, of what they have by real rows."""
        found = self.use(table)
        told = [f"{self.best[name] - found[name]:+.4f} of {self.best[name]:.4f}" for name in found]
        return told[0] + "".join(f" ({each})" for each in told[1:])

    def coded(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return numbers as they are and levels as codes of the train part."""
        return pd.DataFrame({c: as_number(table[c], self.train[c]) for c in self.train})

    def shares_of(self, table: pd.DataFrame) -> Shares:
        """Return the shares of the cells of all columns and pairs."""
        coded = self.coded(table)
        cells = {c: np.where(coded[c].isna(), 0, 1 + np.searchsorted(self.edges[c], coded[c])) for c in coded}
        size = 2 + max(len(edges) for edges in self.edges.values())
        single = {(c,): np.bincount(cells[c], minlength=size) for c in cells}
        pairs = {
            (a, b): np.bincount(cells[a] * size + cells[b], minlength=size**2)
            for a, b in combinations(cells, 2)
        }
        return {key: count / len(table) for key, count in (single | pairs).items()}

    def variations(self, table: pd.DataFrame) -> dict[tuple[str, ...], float]:
        """Return the total variation of every column and pair from the train part's."""
        found = self.shares_of(table)
        return {key: float(np.abs(found[key] - self.shares[key]).sum() / 2) for key in found}


def boosters() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Return what classifies and what regresses, by name, each as its package has it."""
    own = (
        partial(HistGradientBoostingClassifier, random_state=0),
        partial(HistGradientBoostingRegressor, random_state=0),
    )
    if importlib.util.find_spec("xgboost") is None:
        return {"scikit-learn": own}
    import xgboost

    theirs = (partial(xgboost.XGBClassifier, random_state=0), partial(xgboost.XGBRegressor, random_state=0))
    return {"xgboost": theirs, "scikit-learn": own}


def areas(trees: Any, x: pd.DataFrame, levels: list[str], truth: pd.Series) -> list[float]:
    """Return the area of each level against the rest; of one that was not learned, 0.5."""
    found = pd.DataFrame(trees.predict_proba(x), columns=trees.classes_)
    nothing = pd.Series(0.0, found.index)
    return [roc_auc_score(truth == level, found.get(levels.index(level), nothing)) for level in set(truth)]


def as_number(values: pd.Series, like: pd.Series) -> pd.Series:
    """Return a column as floats: levels by their rank among those of another table."""
    if pd.api.types.is_numeric_dtype(like) and not pd.api.types.is_bool_dtype(like):
        return pd.to_numeric(values).astype(float)
    ranks = {level: rank for rank, level in enumerate(sorted(like.dropna().astype(str).unique()))}
    return values.map(lambda value: np.nan if pd.isna(value) else ranks.get(str(value), np.nan)).astype(float)


def edges_of(values: pd.Series) -> npt.NDArray[np.float64]:
    """Return 20 quantiles; every level is one of its own."""
    numbers = as_number(values, values)
    if not pd.api.types.is_numeric_dtype(values):
        return np.unique(numbers.dropna())
    return np.unique(np.nanquantile(numbers, np.linspace(0, 1, 21)))


if __name__ == "__main__":
    main()
