"""1,000,000 x 20 mixed rows: read CSV, fit, sample as many, write Parquet; seconds and peak memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

ROWS = 1_000_000


def main() -> None:
    """Make the file in this process, measure the pipeline in another one, so that its peak is its own."""
    if len(sys.argv) == 3:
        pipeline(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "million.csv", Path(folder) / "stand-in.parquet"
        make(source)
        print(f"{ROWS:,} x 20 mixed rows, CSV of {source.stat().st_size / 2**20:.0f} MiB")
        subprocess.run([sys.executable, __file__, str(source), str(target)], check=True)


def make(path: Path) -> None:
    """Write a mixed table: whole numbers, decimals, floats, levels, dates, with missing values."""
    from understudy.table.table import Table

    rng = np.random.default_rng(0)
    base = rng.standard_normal(ROWS)
    columns: dict[str, pa.Array] = {}
    for place in range(6):
        columns[f"whole_{place}"] = pa.array(
            np.rint(40 + 12 * base + 5 * rng.standard_normal(ROWS)).astype(int)
        )
    for place in range(3):
        money = np.round(np.exp(8 + 0.5 * base + rng.standard_normal(ROWS)), 2)
        columns[f"money_{place}"] = pa.array(money, mask=rng.random(ROWS) < 0.1)
    for place in range(3):
        columns[f"real_{place}"] = pa.array(base * (place + 1) + rng.standard_normal(ROWS))
    for place, size in enumerate((2, 5, 12, 50, 1_000)):
        words = pa.array([f"level {code}" for code in range(size)])
        code = np.clip((base + 3) / 6 * size + rng.integers(-1, 2, ROWS), 0, size - 1).astype(np.int32)
        columns[f"level_{place}"] = words.take(pa.array(code, mask=rng.random(ROWS) < 0.02))
    for place in range(3):
        days = (15_000 + 900 * base + rng.integers(0, 300, ROWS)).astype(np.int32)
        columns[f"date_{place}"] = pa.array(days).view(pa.date32())
    Table(pa.table(columns)).write(path)


def pipeline(source: Path, target: Path) -> None:
    """Read, fit, sample, write; print the seconds of each and the peak memory of all."""
    import understudy as us

    marks = [time.perf_counter()]
    table = us.read(source)
    marks.append(time.perf_counter())
    model = us.synth.get("gaussian_copula")().fit(table, progress=False)
    marks.append(time.perf_counter())
    synthetic = model.sample(ROWS)
    marks.append(time.perf_counter())
    synthetic.write(target)
    marks.append(time.perf_counter())
    for name, start, end in zip(("read", "fit", "sample", "write"), marks, marks[1:], strict=False):
        print(f"  {name:<8} {end - start:7.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak     {peak:7.2f} GiB   (wanted: under 6)")


if __name__ == "__main__":
    main()
