"""Run by the peer environment: SDMetrics' quality report of some tables, as JSON.

Each table twice: as the report is, which leaves out pairs that are weakly associated in the real table, and
with its thresholds at 0, so that it scores every pair that it can.
"""

import json
import sys
import time
import warnings

import pandas as pd


def main(kinds: str, source: str, targets: list[str]) -> None:
    warnings.simplefilter("ignore")
    import sdmetrics

    columns = {name: {"sdtype": kind} for name, kind in json.loads(kinds).items()}
    real = pd.read_parquet(source)
    found = {
        target: {
            way: report(real, pd.read_parquet(target), columns, every=way == "every")
            for way in ("own", "every")
        }
        for target in targets
    }
    print(json.dumps({"version": sdmetrics.__version__, "tables": found}))


def report(real: pd.DataFrame, synthetic: pd.DataFrame, columns: dict, *, every: bool) -> dict:
    from sdmetrics.reports.single_table import QualityReport

    made, start = QualityReport(), time.perf_counter()
    if every:
        made.real_correlation_threshold = made.real_association_threshold = 0
    made.generate(real, synthetic, {"columns": columns}, verbose=False)
    seconds = time.perf_counter() - start
    pairs = made.get_details("Column Pair Trends")
    kinds = [pairs[f"Column {k}"].map(lambda name: columns[name]["sdtype"]) for k in (1, 2)]
    shapes, trends = made.get_properties()["Score"]
    return {
        "score": made.get_score(),
        "shapes": shapes,
        "trends": trends,
        "mixed": pairs["Score"][kinds[0] != kinds[1]].mean(),
        "pairs": int(pairs["Score"].notna().sum()),
        "seconds": seconds,
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
