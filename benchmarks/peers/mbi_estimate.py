"""Estimate a model from measured tables with mbi and draw rows: `mbi_estimate.py tables.npz rows.npz`."""

import json
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
import mbi  # noqa: E402 - it warns when it is imported

ITERATIONS = 10_000  # of the last estimation in the authors' own MST

with np.load(sys.argv[1]) as given:
    sizes, cliques = given["sizes"].tolist(), json.loads(str(given["cliques"]))
    tables = [(given[f"table{place}"], float(given["sigmas"][place])) for place in range(len(cliques))]
    rows = int(given["rows"])
start = time.process_time()
names = [str(place) for place in range(len(sizes))]
domain = mbi.Domain(names, sizes)
measured = [
    mbi.LinearMeasurement(table.ravel(), tuple(names[a] for a in of), sigma)
    for of, (table, sigma) in zip(cliques, tables, strict=True)
]
model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=float(rows), iters=ITERATIONS)
drawn = model.synthetic_data(rows).to_dict()
np.savez(sys.argv[2], **{name: np.asarray(drawn[name]) for name in names})
print(json.dumps({"seconds": time.process_time() - start}))
