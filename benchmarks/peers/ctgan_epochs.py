"""The ctgan package's CTGAN and TVAE on a table, an epoch for each line that is read: seconds of each.

    python ctgan_epochs.py tvae table.csv.gz rows

Prints `{"prepare": ...}` when the first epoch could begin, `{"epoch": ...}` after each, and `{"draw": ...}`
at the end of input. Seconds come in threes: of processor time, of the clock, and of the main thread.
"""

import json
import sys
import time

import pandas as pd
from ctgan import CTGAN, TVAE
from ctgan.synthesizers import ctgan as ctgan_module, tvae as tvae_module


def now():
    """Return processor time, that of the clock, and processor time of this thread."""
    return time.process_time(), time.perf_counter(), time.thread_time()


def tell(what, start):
    """Print how long something took since `start`."""
    print(json.dumps({what: [b - a for a, b in zip(start, now(), strict=True)]}), flush=True)


def turns(began):
    """Yield once for each line of input, and tell how long it took until the next is asked for."""
    tell("prepare", began)
    for line in sys.stdin:
        start = now()
        yield int(line)
        tell("epoch", start)


def main():
    """Fit, an epoch at a time, and draw."""
    method, path, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    table = pd.read_csv(path).iloc[:rows]
    levels = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
    table[levels] = table[levels].fillna("missing")
    kind = {"ctgan": CTGAN, "tvae": TVAE}[method]
    began = now()
    for module in (ctgan_module, tvae_module):
        module.tqdm = lambda *_, **__: turns(began)
    model = kind()
    model.fit(table, levels)
    start = now()
    model.sample(rows)
    tell("draw", start)


if __name__ == "__main__":
    main()
