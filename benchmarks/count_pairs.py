"""10,000,000 x 20 mixed rows in Parquet: all 190 pairs counted out of core; seconds and peak memory.

Quantities are cut into 32 cells, words have up to 32 levels; row groups are read, coded, counted and let go.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from understudy.engines.marginals.streaming import count_batches, every_pair

ROWS, CELLS = 10_000_000, 32
GROUP = 262_144
REALS, WHOLES, WORDS = 8, 6, 6
EDGES = np.linspace(-2.5, 2.5, CELLS - 2)  # of values near a standard normal; the last cell is for missing
LEVELS = pa.array([f"level {code}" for code in range(CELLS - 1)])

Codes = list[npt.NDArray[np.int32]]


def main() -> None:
    """Make the file here, count in another process, so that its peak is its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--count", type=Path, help="count the pairs of a file that is there")
    chosen = parser.parse_args()
    if chosen.count is not None:
        measure(chosen.count)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make(path, chosen.rows)
        print(f"{chosen.rows:,} x 20 mixed rows, Parquet of {path.stat().st_size / 2**20:.0f} MiB")
        subprocess.run([sys.executable, __file__, "--count", str(path)], check=True)


def make(path: Path, rows: int) -> None:
    """Write reals, whole numbers and words that hang together, row group by row group."""
    rng = np.random.default_rng(0)
    writer: pq.ParquetWriter | None = None
    for start in range(0, rows, GROUP):
        size = min(GROUP, rows - start)
        common = rng.standard_normal(size)
        columns: dict[str, pa.Array] = {}
        for place in range(REALS):
            values = 0.6 * common + 0.8 * rng.standard_normal(size)
            columns[f"real_{place}"] = pa.array(values, mask=rng.random(size) < 0.02)
        for place in range(WHOLES):
            columns[f"whole_{place}"] = pa.array(
                np.rint(40 + 10 * common + rng.normal(0, 5, size)).astype(int)
            )
        for place in range(WORDS):
            code = np.clip((common + 3) * 5 + rng.integers(-4, 5, size), 0, len(LEVELS) - 1).astype(np.int32)
            columns[f"word_{place}"] = pa.DictionaryArray.from_arrays(pa.array(code), LEVELS)
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def measure(path: Path) -> None:
    """Count all pairs and print what it took."""
    before = _peak()
    began = time.perf_counter()
    pairs = every_pair(REALS + WHOLES + WORDS)
    tables = count_batches(coded(path), pairs, (CELLS,) * (REALS + WHOLES + WORDS))
    took = time.perf_counter() - began
    rows = pq.read_metadata(path).num_rows
    wrong = sum(float(table.sum()) != rows for table in tables.values())
    print(f"  {len(pairs)} pairs counted in {took:.1f} s ({rows / took:,.0f} rows per second)")
    print(f"  tables that miss a row: {wrong}")
    print(f"  peak {_peak():.2f} GiB, of which {before:.2f} before the first row   (wanted: under 4)")


def coded(path: Path) -> Iterator[Codes]:
    """Yield the codes of one batch after the other."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=GROUP, use_threads=False):
            yield [_codes(cells) for cells in batch.columns]


def _codes(cells: pa.Array) -> npt.NDArray[np.int32]:
    if pa.types.is_dictionary(cells.type):
        # Each row group brings its own dictionary, in its own order.
        place = np.asarray(pc.index_in(cells.dictionary, value_set=LEVELS), dtype=np.int32)
        return np.asarray(place[np.asarray(cells.indices)])
    whole = pa.types.is_integer(cells.type)
    values = np.asarray(pc.fill_null(cells.cast(pa.float64()), np.nan))
    cell = np.searchsorted(EDGES, (values - 40) / 10 if whole else values)
    return np.where(np.isnan(values), CELLS - 1, cell).astype(np.int32)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
