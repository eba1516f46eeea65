"""Singling out, linkability and inference on Adult: seconds and right guesses, ours beside anonymeter's.

    python benchmarks/gdpr_speed.py [attacks]

Train is the 32,561 rows of Adult's train part, the holdout its other 16,281, the synthetic table one of the
Gaussian copula. Each way is main, control and naive runs. Anonymeter 1.1.0 is run on the same tables, in the
same run, if the peer environment has it; else its seconds are those that were measured before, with 2,000
attacks on two cores. Counts need not be equal: ours does not break ties, and does not have its bugs.

Where these do not bite, counts of linkability and inference must be equal: on tables of numbers without ties,
of one range in all three tables, half of the synthetic rows copied, and every row a target.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import setting

import understudy as us
from understudy import attacks
from understudy.result import Result
from understudy.table.evidence import Evidence

ROWS = 32_561
SECRET = "income"
FIRST = ["age", "education", "marital-status", "race", "capital-gain", "hours-per-week", "income"]
MEASURED = {"linkability": 23.0, "inference": 10.5, "singling_out": 178.0}  # anonymeter 1.1.0, 2,000 attacks
WANTED = {"linkability": "> 20x", "inference": "> 20x", "singling_out": "> 5x"}
TURNS = 3
RUNS = ("main", "control")
NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def main() -> None:
    """Print one line for each attack, then what was found."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    tables = adult()
    evidence = Evidence(**tables)
    for role in tables:
        evidence.coded(role)
    names = tables["train"].schema.names
    second = [name for name in names if name not in FIRST]
    ours = {
        "linkability": ("linkability", {"first": json.dumps(FIRST), "second": json.dumps(second)}),
        "inference": ("inference", {"secret": SECRET}),
        "singling_out": ("singling_out", {"mode": "multivariate", "n_cols": 3}),
    }
    found = {way: judge(name, evidence, wanted, given) for way, (name, given) in ours.items()}
    settings = {"attacks": wanted, "secret": SECRET, "first": FIRST, "second": second, "n_cols": 3}
    theirs = peer(tables, settings)
    print(f"{f'Adult, {wanted:,} attacks, seconds':<46} {'ours':>9} {'peer':>9}")
    for way, (seconds, _) in found.items():
        known = theirs["ways"][way]["seconds"] if theirs else MEASURED[way] * wanted / 2_000
        setting.ratio(way, seconds, known, WANTED[way])
    if not theirs:
        print("anonymeter is not in the peer environment: its seconds are those measured before")
    for way, (_, result) in found.items():
        show(way, result, theirs["ways"][way] if theirs else None)
    if theirs:
        compare_counts(untied(tables, 1_000))


def compare_counts(tables: dict[str, pa.Table]) -> None:
    """Print what both find where both should find the same."""
    first, second, rows = NUMBERS[:3], NUMBERS[3:], tables["train"].num_rows
    settings = {"attacks": rows, "secret": SECRET, "first": first, "second": second, "n_cols": 3}
    theirs = peer(tables, settings)
    assert theirs, "the peer was there a moment ago"
    given = {
        "linkability": {"first": json.dumps(first), "second": json.dumps(second)},
        "inference": {"secret": SECRET},
    }
    print(f"numbers without ties, {rows:,} targets: right guesses in main and control runs, ours and peer's")
    for way, how in given.items():
        parts = attacks.get(way)(attacks=rows, **how)(Evidence(**tables)).parts
        ours = [int(next(v for k, v in parts.items() if k.endswith(f"{run}_hits"))) for run in RUNS]
        found = [theirs["ways"][way][run] for run in RUNS]
        print(f"{way:<14} {ours} {found} {'equal' if ours == found else 'NOT EQUAL'}")


def untied(tables: dict[str, pa.Table], rows: int) -> dict[str, pa.Table]:
    """Return numbers with a fraction drawn, so that none are equal; two rows span the ranges of all."""
    rng = np.random.default_rng(0)
    some = {}
    for role, table in tables.items():
        part = table.take(rng.choice(table.num_rows, rows, replace=False))
        cells = {name: part[name].to_numpy().astype(float) + rng.random(rows) for name in NUMBERS}
        some[role] = pa.table({**cells, SECRET: part[SECRET]})
    some["synthetic"] = pa.concat_tables(
        [part.slice(0, rows // 2) for part in (some["train"], some["synthetic"])]
    )
    every = pa.concat_tables(some.values())
    bounds = {name: [every[name].to_numpy().min(), every[name].to_numpy().max()] for name in NUMBERS}
    ends = pa.table({**bounds, SECRET: sorted(set(every[SECRET].to_pylist()))}).cast(every.schema)
    return {role: pa.concat_tables([part, ends]) for role, part in some.items()}


def adult() -> dict[str, pa.Table]:
    """Return the tables in their roles."""
    arrow = us.read(setting.dataset("adult")).to_arrow()
    train = arrow.slice(0, ROWS)
    drawn = us.synth.get("gaussian_copula")().fit(train, progress=False).sample(ROWS, seed=0)
    return {"train": train, "holdout": arrow.slice(ROWS), "synthetic": us.read(drawn).to_arrow()}


def judge(name: str, evidence: Evidence, wanted: int, given: dict[str, Any]) -> tuple[float, Result]:
    """Return the best seconds of some turns, and the result."""
    attack = attacks.get(name)(attacks=wanted, **given)
    times = []
    for _ in range(TURNS):
        start = time.perf_counter()
        result = attack(evidence)
        times.append(time.perf_counter() - start)
    return min(times), result


def peer(tables: dict[str, pa.Table], settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return anonymeter's figures, or nothing where it is not installed."""
    python = setting.PEERS / "bin" / "python"
    if (
        not python.exists()
        or subprocess.run([python, "-c", "import anonymeter"], check=False, capture_output=True).returncode
    ):
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{role}.parquet") for role in ("train", "holdout", "synthetic")]
        for path, role in zip(paths, ("train", "holdout", "synthetic"), strict=True):
            pq.write_table(tables[role], path)
        return setting.peer("anonymeter_gdpr.py", *paths, json.dumps(settings))


def show(way: str, result: Result, theirs: dict[str, Any] | None) -> None:
    """Print counts and risks."""
    counts = {
        name.rsplit(".", 1)[1]: int(value)
        for name, value in result.parts.items()
        if name.endswith(("_hits", "_guesses"))
    }
    told = ", ".join(
        f"{run} {counts[f'{run}_hits']}/{counts[f'{run}_guesses']}" for run in ("main", "control", "naive")
    )
    print(f"{way:<14} R {result.value:.4f} ({result.low:.4f} to {result.high:.4f}); {told}")
    if theirs:
        print(
            f"{'  anonymeter':<14} R {theirs['risk']:.4f}; "
            + ", ".join(f"{run} {theirs[run]}" for run in ("main", "control", "naive"))
        )


if __name__ == "__main__":
    main()
