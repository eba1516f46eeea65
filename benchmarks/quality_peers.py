"""Our fidelity measures, SDMetrics' quality report and synthcity's definitions on tables of known verdict.

    python benchmarks/quality_peers.py [table ...]

Half of a real table is judged against: itself (copy), the other half (fresh), the other half with every
column shuffled by itself (histogram), itself with ten ranges added to every quantity (shifted), itself with
half the cells of every quantity gone (holes), and its first row (constant). Ends with an error if the order
of copy, fresh and histogram differs between us and the peer, or if a stated bug of a peer is found in ours.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import setting
from scipy.spatial.distance import jensenshannon

import understudy as us
from understudy import metrics
from understudy.engines.information import jensen_shannon
from understudy.result import Result
from understudy.table.evidence import Evidence

OURS = ("shape_trend", "resemblance", "column_row", "mutual_information")


def main() -> None:
    """Print one block per table, then the definitions of synthcity on their worked examples."""
    failures = sum(not one_table(name) for name in sys.argv[1:] or ("adult", "bank_marketing"))
    failures += not synthcity()
    if failures:
        sys.exit(f"{failures} comparisons did not hold")


def one_table(name: str) -> bool:
    """Judge the six tables of one real table, by the peer and by us."""
    frame = us.read(setting.dataset(name)).to_pandas()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(frame))
    real, other = (frame.iloc[part].reset_index(drop=True) for part in np.array_split(order, 2))
    quantities = [column.name for column in Evidence(train=real, synthetic=other).coded("train").quantities]
    tables = known(real, other, quantities, rng)
    theirs = peer(real, tables, quantities)
    ours = {key: judge(real, table) for key, table in tables.items()}
    show(f"{name}: {len(real):,} rows x {len(frame.columns)}, {len(quantities)} quantities", theirs, ours)
    return verdict(theirs["tables"], {key: found["shape_trend"] for key, found in ours.items()})


def known(
    real: pd.DataFrame, other: pd.DataFrame, quantities: list[str], rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Return the tables whose verdict is known."""
    numbers = real[quantities].astype(np.float64)
    far = numbers + 10 * (numbers.max() - numbers.min())
    shuffled = {column: other[column].to_numpy()[rng.permutation(len(other))] for column in other}
    return {
        "copy": real.copy(),
        "fresh": other,
        "histogram": pd.DataFrame(shuffled).astype(other.dtypes),
        "shifted": real.assign(**{column: far[column] for column in quantities}),
        "holes": real.assign(**numbers.mask(rng.random(numbers.shape) < 0.5)),
        "constant": real.iloc[np.zeros(len(real), dtype=int)].reset_index(drop=True),
    }


def peer(real: pd.DataFrame, tables: dict[str, pd.DataFrame], quantities: list[str]) -> dict:
    """Return SDMetrics' figures for each table."""
    kinds = {column: "numerical" if column in quantities else "categorical" for column in real}
    with tempfile.TemporaryDirectory() as folder:
        paths = {key: str(Path(folder) / f"{key}.parquet") for key in ("real", *tables)}
        for key, table in {"real": real, **tables}.items():
            table.to_parquet(paths[key])
        found = setting.peer(
            "sdmetrics_quality.py", json.dumps(kinds), paths["real"], *(paths[k] for k in tables)
        )
    return {"version": found["version"], "tables": {key: found["tables"][paths[key]] for key in tables}}


def judge(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, Result]:
    """Return what our measures find."""
    evidence = Evidence(train=real, synthetic=synthetic)
    for role in ("train", "synthetic"):
        evidence.coded(role)
    return {name: metrics.get(name)()(evidence) for name in OURS}


def show(title: str, theirs: dict, ours: dict[str, dict[str, Result]]) -> None:
    """Print SDMetrics' report as it is and over every pair, ours of the same two properties, our others."""
    print(f"\n{title}; SDMetrics {theirs['version']}")
    print(f"{'':10}{'as it is':>9}{'pairs':>6}  |{'every':>7}{'pairs':>6}{'shapes':>8}{'trends':>8}", end="")
    print(
        f"{'mixed':>8}{'s':>6}  |{'ours':>8}{'null':>8}{'shapes':>8}{'trends':>8}{'mixed':>8}{'s':>6}", end=""
    )
    print("  |" + "".join(f"{name:>20}" for name in OURS[1:]))
    for key, found in ours.items():
        own, every = theirs["tables"][key]["own"], theirs["tables"][key]["every"]
        mine = found["shape_trend"]
        print(
            f"{key:10}{own['score']:9.4f}{own['pairs']:6d}  |{every['score']:7.4f}{every['pairs']:6d}", end=""
        )
        print("".join(f"{every[part]:8.4f}" for part in ("shapes", "trends", "mixed")), end="")
        parts = "".join(f"{mine.parts[part]:8.4f}" for part in ("shapes", "trends", "trends_mixed"))
        print(
            f"{every['seconds']:6.1f}  |{mine.value:8.4f}{mine.null:8.4f}{parts}{mine.seconds:6.2f}", end=""
        )
        print("  |" + "".join(f"{found[name].value:20.4f}" for name in OURS[1:]))


def verdict(theirs: dict, ours: dict[str, Result]) -> bool:
    """Say whether the directions agree, and whether ours are free of the peer's bugs."""
    three = ("copy", "fresh", "histogram")
    orders = [[theirs[key][way]["score"] for key in three] for way in ("own", "every")]
    orders.append([ours[key].value for key in three])
    checks = {
        "same order of copy, fresh, histogram": all(a > b > c for a, b, c in orders),
        "shifted: our mixed pairs are not perfect": ours["shifted"].parts["trends_mixed"] < 0.5,
        "holes: our shapes see them": ours["holes"].parts["shapes"] < ours["copy"].parts["shapes"] - 0.1,
        "constant: every pair has a score": ours["constant"].parts["coverage"] == 1,
    }
    for what, holds in checks.items():
        print(f"  {'yes' if holds else 'NO '} {what}")
    return all(checks.values())


def synthcity() -> bool:
    """Print synthcity's definitions, written anew from their description, the right figures, and ours."""
    print(f"\n{'synthcity (natural logarithm)':50}{'theirs':>12}{'right':>10}{'ours':>10}")
    p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    right, added = float(jensenshannon(p, q)), float(jensenshannon(p + 1, q + 1))
    ours = (jensen_shannon(np.array([5, 0]), np.array([0, 5])) * np.log(2)) ** 0.5
    print(f"{'JS distance of columns without a common value':50}{added:12.4f}{right:10.4f}{ours:10.4f}")
    real, synthetic = {"a": 0.7, "b": 0.3}, {"b": 0.7, "a": 0.3}
    lists = np.array(list(real.values())), np.array(list(synthetic.values()))
    listed, aligned = kullback(*lists), kullback(lists[0], np.array([synthetic[key] for key in real]))
    seen = jensen_shannon(np.array([7, 3]), np.array([3, 7]))
    print(f"{'KL of 70/30 and 30/70 (ours: JS, base 2)':50}{listed:12.4f}{aligned:10.4f}{seen:10.4f}")
    return abs(ours - right) < 1e-12 and seen > 0


def kullback(p: np.ndarray, q: np.ndarray) -> float:
    """Return the Kullback-Leibler divergence."""
    return float((p * np.log(p / q)).sum())


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - start:.0f} s in all")
