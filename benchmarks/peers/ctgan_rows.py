"""The ctgan package's CTGAN or TVAE at its own settings: learns one table, writes rows of it.

python ctgan_rows.py ctgan train.parquet rows drawn.parquet
"""

import sys

import pandas as pd
from ctgan import CTGAN, TVAE


def main():
    """Fit and draw; levels are what is no number, and whole numbers of few values (its users name these)."""
    method, path, rows, out = sys.argv[1:]
    table = pd.read_parquet(path)
    levels = [name for name in table if not pd.api.types.is_numeric_dtype(table[name]) or is_few(table[name])]
    texts = [name for name in levels if not pd.api.types.is_numeric_dtype(table[name])]
    table[texts] = table[texts].astype(object).fillna("missing")
    model = {"ctgan": CTGAN, "tvae": TVAE}[method]()
    model.fit(table, levels)
    model.sample(int(rows)).to_parquet(out)


def is_few(column):
    """Return whether numbers are so few that they are levels."""
    return column.nunique() <= 20


if __name__ == "__main__":
    main()
