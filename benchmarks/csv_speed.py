"""Read and write one mixed table of 1,000,000 x 20 as CSV, beside pandas and pyarrow, in one run.

    python benchmarks/csv_speed.py [rows]

Prints seconds and ratios (peer / understudy: above 1 means understudy is faster). The
peers guess: they change leading zeros, long ids and words such as NA without a word.
"""

from __future__ import annotations

import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from understudy.table.csv_bytes import read_text_bytes
from understudy.table.csv_header import read_header
from understudy.table.csv_read import read_csv
from understudy.table.csv_scan import Part, scan
from understudy.table.csv_write import write_csv


def mixed(rows: int) -> pa.Table:
    """Make 20 columns: ids, integers, money, floats, words, dates, timestamps, booleans, blanks."""
    rng = np.random.default_rng(0)
    words = np.array(["north", "south", "east", "west", "New York, NY", 'the "old" town', "=1+1", "Zürich"])
    days = rng.integers(0, 20_000, rows)
    columns: dict[str, pa.Array] = {"id": pa.array(np.arange(rows) + 10**15)}
    for place in range(4):
        columns[f"int{place}"] = pa.array(
            rng.integers(0, 10 ** (place + 1), rows), mask=rng.random(rows) < 0.05
        )
        columns[f"money{place}"] = pa.array(np.round(rng.gamma(2, 500, rows), 2))
        columns[f"float{place}"] = pa.array(np.round(rng.normal(size=rows), 6))
        columns[f"word{place}"] = pa.array(
            words[rng.integers(0, len(words), rows)], mask=rng.random(rows) < 0.1
        )
    columns["flag"] = pa.array(rng.random(rows) < 0.5)
    columns["day"] = pa.array(days.astype("datetime64[D]"))
    columns["moment"] = pc.cast(pa.array(days * 86_400 + 3_601), pa.timestamp("s"))
    return pa.table(columns)


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Run the comparison and print it."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    table = mixed(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.csv"
        with open(path, "wb") as file:
            ours_write = seconds(lambda: write_csv(table, file))
        size = path.stat().st_size / 1e6
        print(f"{rows:,} rows x {table.num_columns} columns, {size:.0f} MB")
        data = read_text_bytes(path, encoding=None, limit_bytes=2**40)
        header = read_header(data, ",")
        part = Part(data, header.end, len(data) - 1, ord(","), len(header.names))
        print(f"scan alone: {size / seconds(partial(scan, part)):.0f} MB/s")
        del data, part
        ours_read = seconds(lambda: read_csv(path))
        print(f"understudy   read {ours_read:6.2f} s   write {ours_write:6.2f} s")
        print(f"  peak memory so far {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
        frame = pd.read_csv(path)
        peers = {
            "pandas": (seconds(lambda: pd.read_csv(path)), seconds(lambda: frame.to_csv(io.StringIO()))),
            "pyarrow": (
                seconds(lambda: pa.csv.read_csv(path)),
                seconds(lambda: pa.csv.write_csv(table, io.BytesIO())),
            ),
        }
        for name, (read, write) in peers.items():
            ratios = f"ratio {read / ours_read:5.2f} / {write / ours_write:5.2f}"
            print(f"{name:12} read {read:6.2f} s   write {write:6.2f} s   {ratios}")


if __name__ == "__main__":
    main()
