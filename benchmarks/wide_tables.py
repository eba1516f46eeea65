"""Tables that are wide rather than long: seconds of each, against the most that they may take.

    python benchmarks/wide_tables.py            # all
    python benchmarks/wide_tables.py floats     # one: floats, mixed, levels, where, columns

Processor seconds stand beside the clock's: on a busy machine the clock says more about the others.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import understudy as us

COLUMNS = 100_000


def main() -> None:
    """Print one line per table, or those of the named ones."""
    tables: dict[str, Callable[[np.random.Generator], None]] = {
        "floats": floats, "mixed": mixed, "levels": levels, "where": where, "columns": columns,
    }  # fmt: skip
    print(f"{'':<58} {'seconds':>8} {'of cpu':>8}")
    for name in sys.argv[1:] or tables:
        tables[name](np.random.default_rng(0))


def floats(rng: np.random.Generator) -> None:
    """Fit a copula of 1,000 floats to 200 rows."""
    table = pa.table({f"c{i}": rng.normal(size=200) for i in range(1_000)})
    timed("copula, 1,000 floats x 200 rows", lambda: copula(table), 5)


def mixed(rng: np.random.Generator) -> None:
    """Fit a copula of floats with missing cells and of levels, 1,000 in all: 1,500 latents."""
    found: dict[str, pa.Array] = {}
    for place in range(0, 1_000, 2):
        found[f"c{place}"] = pa.array(rng.normal(size=300), mask=rng.random(300) < 0.2)
        found[f"c{place + 1}"] = pa.array(rng.choice(list("abcde"), 300))
    timed("copula, 1,000 mixed with missing x 300 rows", lambda: copula(pa.table(found)), 15)


def levels(rng: np.random.Generator) -> None:
    """Fit a copula of 50 columns that have 5,000 levels each."""
    table = pa.table({f"c{i}": pa.array(rng.integers(0, 5_000, 20_000).astype(str)) for i in range(50)})
    timed("copula, 50 x 5,000 levels x 20,000 rows", lambda: copula(table), 6)


def where(rng: np.random.Generator) -> None:
    """Draw many rows under six narrow ranges of strongly related columns."""
    base = rng.normal(size=5_000)
    model = copula(pa.table({f"z{i}": base + 0.1 * rng.normal(size=5_000) for i in range(6)}))
    ranges = {f"z{i}": (1.5, 1.6) if i % 2 else (1.7, 1.8) for i in range(6)}
    timed("70,000 rows where six narrow ranges hold", lambda: model.sample(70_000, where=ranges), 10)


def columns(rng: np.random.Generator) -> None:
    """Take a CSV of 100,000 columns through read, fit, sample, save and load."""
    with tempfile.TemporaryDirectory() as folder:
        source, saved = Path(folder) / "wide.csv", Path(folder) / "model"
        lines = [",".join(f"c{i}" for i in range(COLUMNS))]
        lines += [",".join(map(str, row)) for row in rng.integers(0, 100, (5, COLUMNS))]
        source.write_text("\n".join(lines) + "\n")
        start = time.perf_counter(), time.process_time()
        table = timed("100,000 columns x 5 rows, histogram: read", lambda: us.read(source))
        recipe = us.synth.get("histogram")()
        model = timed("... fit", lambda: recipe.fit(table, progress=False))
        timed("... sample", lambda: model.sample(5))
        timed("... save", lambda: model.save(saved))
        timed("... load", lambda: us.load(saved))
        line("... in all", time.perf_counter() - start[0], time.process_time() - start[1], 60)


def copula(table: pa.Table) -> Any:
    """Fit with the method's own settings."""
    return us.synth.get("gaussian_copula")().fit(table, progress=False)


def timed(what: str, work: Callable[[], Any], wanted: float | None = None) -> Any:
    """Print the seconds of one call and return its result."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    line(what, time.perf_counter() - clock, time.process_time() - processor, wanted)
    return result


def line(what: str, clock: float, processor: float, wanted: float | None) -> None:
    """Print one line."""
    limit = "" if wanted is None else f"   (wanted: under {wanted:g})"
    print(f"{what:<58} {clock:>8.1f} {processor:>8.1f}{limit}", flush=True)


if __name__ == "__main__":
    main()
