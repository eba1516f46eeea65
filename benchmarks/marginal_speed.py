"""The marginal family on Adult (48,842 x 15): seconds from table to stand-in; MST's estimate against mbi's.

    python benchmarks/marginal_speed.py            # every method, with and without a budget
    python benchmarks/marginal_speed.py --mbi      # and mbi in the peer environment, on the same tables

Seconds are CPU seconds of all threads. The error is the mean total variation of all pairs of columns, each in
20 bins or its 20 fullest levels; for the comparison with mbi, of all pairs of merged cells.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from setting import dataset, peer, ratio

import understudy as us
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured, estimate
from understudy.engines.marginals.generate import draw_rows
from understudy.model import tree_fit
from understudy.model.merged import exact_tables
from understudy.privacy import Ledger, Vault
from understudy.synth import mst
from understudy.table.columns import to_columns
from understudy.table.schema import Schema

T = TypeVar("T")
Codes = list[npt.NDArray[np.int32]]
WANTED = {"mst": 10, "aim": 120, "privsyn": 60}
METHODS = ("mst", "privsyn", "bayesian_network", "privbayes", "aim")
SIGMA = 50.0  # of a count at epsilon 1, about


def main() -> None:
    """Print seconds and errors."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--mbi", action="store_true")
    given = arguments.parse_args()
    table = us.read(dataset("adult"))
    for method in [name for name in METHODS if name in us.synth.names()]:
        for budget in (us.Budget(epsilon=1.0, delta=1e-9), None):
            seconds, error = end_to_end(table, method, budget)
            told = "epsilon 1" if budget else "no budget"
            wanted = f"   (wanted: {WANTED[method]} s)" if method in WANTED else ""
            print(f"{method:<18} {told}: {seconds:6.2f} CPU s, pair error {error:.4f}{wanted}", flush=True)
    if given.mbi:
        against_mbi(table)


def end_to_end(table: us.Table, method: str, budget: us.Budget | None) -> tuple[float, float]:
    """Fit and draw as many rows."""
    recipe = us.synth.get(method)()
    rows, seconds = timed(lambda: recipe.fit(table, budget=budget, progress=False).sample_table(48_842, 0))
    evidence = us.Evidence(train=table, synthetic=rows)
    return seconds, pair_error(evidence)


def pair_error(evidence: us.Evidence) -> float:
    """Return the mean total variation of all pairs in at most 20 cells a column."""
    real, fake = evidence.coded("train"), evidence.coded("synthetic")
    codes: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    for column in real.domain:
        pair = real[column.name], fake[column.name]
        if column.quantity:
            edges = np.unique(np.nanquantile(pair[0], np.linspace(0, 1, 21)[1:-1]))
            codes.append(tuple(np.where(np.isnan(v), 20, np.searchsorted(edges, v)) for v in pair))
        else:
            codes.append(tuple(np.where((v < 0) | (v > 18), 20, v).astype(np.int64) for v in pair))
    return float(np.mean([_variation(a, b) for a, b in combinations(codes, 2)]))


def _variation(first: tuple[npt.NDArray[np.int64], ...], second: tuple[npt.NDArray[np.int64], ...]) -> float:
    shares = [np.bincount(a * 21 + b, minlength=441) / len(a) for a, b in zip(first, second, strict=True)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def against_mbi(table: us.Table) -> None:
    """Estimate and draw from the same noisy tables of a spanning tree."""
    codes, sizes, measured = noisy_tree(table)
    rows = len(codes[0])
    rng = np.random.default_rng(0)
    drawn, ours = timed(
        lambda: draw_rows(estimate(measured, sizes, total=float(rows), steps=mst.MST().steps), rows, rng)
    )
    theirs, seconds = by_mbi(measured, sizes, rows)
    ratio("MST's estimate and rows, CPU seconds", ours, seconds, "15x")
    print(
        f"  mean total variation of all pairs of merged cells: ours {_apart(codes, drawn, sizes):.4f}, "
        f"mbi {_apart(codes, theirs, sizes):.4f}"
    )


def noisy_tree(table: us.Table) -> tuple[Codes, tuple[int, ...], list[Measured]]:
    """Return the codes of merged cells, and noisy tables of all columns and of a spanning tree of pairs."""
    arrow = table.to_arrow()
    schema = Schema.infer(table)
    tables = exact_tables(Vault(to_columns(arrow, schema), Ledger()), schema, fine=200, bins=32)
    rng = np.random.default_rng(1)
    exact = [*tables.one_way, *tables.measure("pairs", tree_fit.spanning_tree(tables, "choose"))]
    noisy = [Measured(e.of, e.table + rng.normal(0, SIGMA, e.table.shape), SIGMA) for e in exact]
    return list(tables.codes), tables.sizes, noisy


def by_mbi(measured: list[Measured], sizes: tuple[int, ...], rows: int) -> tuple[Codes, float]:
    """Return mbi's rows and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "tables.npz", Path(folder) / "rows.npz"
        tables = {f"table{place}": each.table for place, each in enumerate(measured)}
        cliques = json.dumps([list(each.of) for each in measured])
        sigmas = [each.sigma for each in measured]
        np.savez(given, sizes=sizes, cliques=cliques, sigmas=sigmas, rows=rows, **tables)
        seconds = float(peer("mbi_estimate.py", str(given), str(found), needs="mbi")["seconds"])
        with np.load(found) as drawn:
            return [drawn[str(place)].astype(np.int32) for place in range(len(sizes))], seconds


def _apart(codes: Codes, drawn: Codes, sizes: tuple[int, ...]) -> float:
    gaps = [
        np.abs(count(codes, pair, sizes) / len(codes[0]) - count(drawn, pair, sizes) / len(drawn[0])).sum()
        / 2
        for pair in combinations(range(len(sizes)), 2)
    ]
    return float(np.mean(gaps))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what was made and the CPU seconds it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


if __name__ == "__main__":
    main()
