"""arfpy on the first rows of a table: seconds of processor time to fit, with densities, and to draw.

python arfpy_fit.py table.csv.gz rows
"""

import json
import sys
import time

import numpy as np
import pandas as pd

if not hasattr(np, "in1d"):  # the name that arfpy knows it by
    np.in1d = np.isin  # noqa: NPY201 - for arfpy alone, in an environment of its own

from arfpy import arf


def main():
    """Fit as its authors' example does, and draw as many rows."""
    table = pd.read_csv(sys.argv[1]).iloc[: int(sys.argv[2])].copy()
    for name in table:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].fillna("missing").astype("category")
    start = time.process_time()
    model = arf.arf(x=table, verbose=False)
    model.forde()
    fitted = time.process_time()
    model.forge(n=len(table))
    print(json.dumps({"fit": fitted - start, "draw": time.process_time() - fitted}))


if __name__ == "__main__":
    main()
