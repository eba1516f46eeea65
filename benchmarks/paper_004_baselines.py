"""HALF and HISTOGRAM on paper 004's splits: the printed values of its Tables 3-6, and ours beside them.

The measure is the paper's code's: joint min-max scale, 3,000 rows of each table if the real one has more
than 5,000, else as many synthetic rows as real ones; the mean over all marginals and the mean of five groups.

HALF is our `half`: half of the training rows stands in for all of them. `disjoint` is what the text says,
one half against the other. HISTOGRAM is our `histogram`; `binned` draws one-way marginals of 10 quantile
bins and puts every value at the middle of its bin.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import setting
from sklearn.model_selection import train_test_split

import understudy as us
from understudy.metrics.wasserstein import Wasserstein
from understudy.table.coded import CodedColumn, CodedTable

SEEDS = 5
# HALF and HISTOGRAM, each with its deviation, against train (Tables 3-4) and test (Tables 5-6).
PRINTED = {
    "adult": {"train": (0.020, 0.002, 0.213, 0.013), "test": (0.022, 0.002, 0.199, 0.017)},
    "phishing": {"train": (0.010, 0.002, 0.027, 0.001), "test": (0.016, 0.003, 0.030, 0.001)},
    "faults": {"train": (0.017, 0.002, 0.081, 0.002), "test": (0.042, 0.005, 0.113, 0.006)},
    "bean": {"train": (0.015, 0.004, 0.087, 0.002), "test": (0.015, 0.003, 0.080, 0.003)},
    "robot": {"train": (0.010, 0.001, 0.061, 0.002), "test": (0.023, 0.005, 0.065, 0.002)},
    "abalone": {"train": (0.012, 0.004, 0.069, 0.001), "test": (0.028, 0.007, 0.094, 0.009)},
    "insurance": {"train": (0.026, 0.004, 0.046, 0.002), "test": (0.060, 0.007, 0.081, 0.004)},
    "wine": {"train": (0.006, 0.000, 0.068, 0.000), "test": (0.014, 0.001, 0.076, 0.001)},
}


def main() -> None:
    """Print one line for each table, baseline and reading."""
    names = sys.argv[1:] or list(PRINTED)
    with ProcessPoolExecutor(2) as pool:
        for name, lines in zip(names, pool.map(measure, names), strict=True):
            print(name, flush=True)
            for line in lines:
                print(f"  {line}", flush=True)


def measure(name: str) -> list[str]:
    """Return the lines of one table."""
    frame, facts = load(name)
    domain = kinds(frame, facts["column_kinds"])
    target = frame[facts["target"]]
    stratify = None if facts["task"] == "regression" else target
    learning, test = train_test_split(frame, test_size=0.2, random_state=0, stratify=stratify)
    stratify = None if stratify is None else learning[facts["target"]]
    train, _ = train_test_split(learning, test_size=0.2, random_state=0, stratify=stratify)
    scores: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for seed in range(SEEDS):
        for key, (real, synthetic) in tables(frame, train, test, seed).items():
            scores.setdefault(key, []).append(score(domain, real, synthetic, seed))
    return [line(name, key, values) for key, values in scores.items()]


def tables(
    frame: pd.DataFrame, train: pd.DataFrame, test: pd.DataFrame, seed: int
) -> dict[tuple[str, str], tuple[pd.DataFrame, pd.DataFrame]]:
    """Return the real and the synthetic table of every reading."""
    rng = np.random.default_rng(seed)
    part = train.iloc[rng.permutation(len(train))]
    parts = part.iloc[: len(part) // 2], part.iloc[len(part) // 2 :]
    half, ours = (
        us.synth.get(name)().fit(train, progress=False, seed=seed).sample(len(frame), seed=seed)
        for name in ("half", "histogram")
    )
    rough = binned(train, len(frame), rng)
    return {
        ("HALF", "train"): (train, half),
        ("HALF", "test"): (test, half),
        ("HALF disjoint", "train"): parts,
        ("HISTOGRAM", "train"): (train, ours),
        ("HISTOGRAM", "test"): (test, ours),
        ("HISTOGRAM binned", "train"): (train, rough),
        ("HISTOGRAM binned", "test"): (test, rough),
    }


def binned(train: pd.DataFrame, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return independent columns; a quantity takes the middle of one of 10 quantile bins."""
    columns = {}
    for name in train:
        values = train[name].to_numpy()
        if values.dtype.kind in "if":
            edges = np.unique(np.quantile(values, np.linspace(0, 1, 11)))
            if len(edges) > 1:
                place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
                values = ((edges[:-1] + edges[1:]) / 2)[place]
        columns[name] = rng.choice(values, rows)
    return pd.DataFrame(columns)


def score(
    domain: tuple[CodedColumn, ...], real: pd.DataFrame, synthetic: pd.DataFrame, seed: int
) -> tuple[float, float]:
    """Return the mean over all marginals and the mean of groups, by the paper's rule of sampling."""
    rng = np.random.default_rng([seed, 1])
    size = 3_000 if len(real) > 5_000 else min(len(real), len(synthetic))
    coded = (code(domain, table).draw(size, rng) for table in (real, synthetic))
    found = Wasserstein(scale="joint").score(*coded, rng)
    return found.value, found.parts["mean_of_groups"]


def load(name: str) -> tuple[pd.DataFrame, dict]:
    """Return a table with quantities as floats and all else as text, and what is known of it."""
    path = setting.dataset(name)
    facts = json.loads((path.parent / f"{name}.json").read_text())
    frame = us.read(path).to_pandas()
    frame = frame.iloc[:32_561] if name == "adult" else frame
    for column, kind in facts["column_kinds"].items():
        number = kind in {"numerical", "integer", "continuous"}
        frame[column] = frame[column].astype(float if number else str)
    return frame.reset_index(drop=True), facts


def kinds(frame: pd.DataFrame, column_kinds: dict[str, str]) -> tuple[CodedColumn, ...]:
    """Return the domain as the paper counts it: Table 2's numerical and categorical columns."""
    return tuple(
        CodedColumn(name, quantity=True, low=frame[name].min(), high=frame[name].max())
        if frame[name].dtype.kind == "f"
        else CodedColumn(name, levels=(levels := frame[name].nunique()), known=levels)
        for name in column_kinds
    )


def code(domain: tuple[CodedColumn, ...], table: pd.DataFrame) -> CodedTable:
    """Return a table in codes; levels are numbered by their text, which one hash tells for all tables."""
    arrays = {}
    for column in domain:
        cells = table[column.name]
        arrays[column.name] = (
            cells.to_numpy(float) if column.quantity else LEVELS.numbers(column.name, cells.astype(str))
        )
    return CodedTable(domain, arrays)


class Levels:
    """One number for every level met, in the order of meeting."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, int]] = {}

    def numbers(self, column: str, cells: pd.Series) -> np.ndarray:
        """Return the numbers of a column's cells."""
        known = self.known.setdefault(column, {})
        for level in cells.unique():
            known.setdefault(level, len(known))
        return cells.map(known).to_numpy(np.int32)


LEVELS = Levels()


def line(name: str, key: tuple[str, str], values: list[tuple[float, float]]) -> str:
    """Return printed value, mean over all marginals, mean of groups, each with its deviation over seeds."""
    printed = PRINTED[name][key[1]][:2] if key[0].startswith("HALF") else PRINTED[name][key[1]][2:]
    middle, spread = np.mean(values, axis=0), np.std(values, axis=0, ddof=1)
    return (
        f"{key[0]:<17} {key[1]:<6} printed {printed[0]:.3f} +- {printed[1]:.3f}   "
        f"all marginals {middle[0]:.4f} +- {spread[0]:.4f}   groups {middle[1]:.4f} +- {spread[1]:.4f}"
    )


if __name__ == "__main__":
    main()
