"""Run by the peer environment: fit SDV's Gaussian copula, sample, print the seconds as JSON."""

import json
import sys
import time
import warnings

import pandas as pd


def main(source: str, target: str, rows: int) -> None:
    warnings.simplefilter("ignore")
    from sdv.metadata import Metadata
    from sdv.single_table import GaussianCopulaSynthesizer

    frame = pd.read_parquet(source)
    metadata = Metadata.detect_from_dataframes({"table": frame})
    start = time.perf_counter()
    model = GaussianCopulaSynthesizer(metadata)
    model.fit({"table": frame})
    fitted = time.perf_counter()
    drawn = model.sample(rows)
    done = time.perf_counter()
    drawn = next(iter(drawn.values())) if isinstance(drawn, dict) else drawn
    drawn.to_parquet(target)
    print(json.dumps({"fit": fitted - start, "sample": done - fitted}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
