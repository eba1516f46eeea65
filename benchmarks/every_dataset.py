"""Every real table through `understudy synthesize`: types and missing rates kept, CSV equal to Parquet."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import setting

import understudy as us


def main() -> None:
    """Print one line per table and method; end with an error if anything was not kept."""
    names = sorted(path.name.removesuffix(".csv.gz") for path in setting.DATASETS.glob("*.csv.gz"))
    failures = 0
    titles = f"{'table':<16} {'method':<16} {'rows':>8} {'s csv':>6} {'s parquet':>9}"
    print(titles + "  types  missing  csv = parquet")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for method in ("histogram", "gaussian_copula"):
                failures += not one(name, method, Path(folder))
    if failures:
        sys.exit(f"{failures} were not kept")


def one(name: str, method: str, folder: Path) -> bool:
    """Synthesize one table twice, as CSV and as Parquet, and compare."""
    source = setting.dataset(name)
    real = us.read(source).to_arrow()
    outputs, seconds = [], []
    for ending in ("csv", "parquet"):
        target = folder / f"{name}-{method}-{ending}.{ending}"
        start = time.perf_counter()
        command = [sys.executable, "-m", "understudy", "synthesize", str(source), "-o", str(target)]
        subprocess.run([*command, "--method", method, "--seed", "1"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
        outputs.append(us.read(target).to_arrow())
    typed, gap = outputs[1].schema.types == real.schema.types, missing_gap(real, outputs[1])
    allowed = 6 * (0.25 / real.num_rows) ** 0.5  # six standard errors of a rate, at its widest
    same = same_cells(*outputs)
    print(
        f"{name:<16} {method:<16} {real.num_rows:>8,} {seconds[0]:>6.1f} {seconds[1]:>9.1f}  "
        f"{'kept' if typed else 'LOST':<5}  {gap:.4f}   {'yes' if same else 'NO'}"
    )
    return typed and gap <= allowed and same


def missing_gap(real: pa.Table, synthetic: pa.Table) -> float:
    """Return the largest difference of a column's missing rate."""
    rates = [[c.null_count / max(len(c), 1) for c in table.columns] for table in (real, synthetic)]
    return max(abs(left - right) for left, right in zip(*rates, strict=True))


def same_cells(csv: pa.Table, parquet: pa.Table) -> bool:
    """Say whether both files hold the same cells; a CSV of few rows may read as a narrower type."""
    if csv.num_rows != parquet.num_rows or csv.schema.names != parquet.schema.names:
        return False
    for left, right in zip(csv.columns, parquet.columns, strict=True):
        cast = left.cast(right.type)
        equal = pc.all(pc.fill_null(pc.equal(cast, right), True)).as_py()
        if not equal or cast.null_count != right.null_count:
            return False
    return True


if __name__ == "__main__":
    main()
