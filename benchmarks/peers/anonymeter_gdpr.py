"""Run by the peer environment: anonymeter's three attacks with control, as JSON: seconds, counts, risk.

anonymeter_gdpr.py train.parquet holdout.parquet synthetic.parquet settings-as-json
"""

import json
import sys
import time
import warnings
from importlib.metadata import version

import pandas as pd


def main(paths: list[str], settings: dict) -> None:
    warnings.simplefilter("ignore")
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    ori, control, syn = (pd.read_parquet(path) for path in paths)
    tables = {"ori": ori, "syn": syn, "control": control, "n_attacks": settings["attacks"]}
    secret = settings["secret"]
    aux = [name for name in ori.columns if name != secret]
    ways = {
        "linkability": (
            LinkabilityEvaluator(**tables, aux_cols=(settings["first"], settings["second"]), n_neighbors=1),
            {"n_jobs": 2},
        ),
        "inference": (InferenceEvaluator(**tables, aux_cols=aux, secret=secret), {"n_jobs": 2}),
        "singling_out": (
            SinglingOutEvaluator(**tables, n_cols=settings["n_cols"]),
            {"mode": "multivariate"},
        ),
    }
    found = {name: run(evaluator, how) for name, (evaluator, how) in ways.items()}
    print(json.dumps({"version": version("anonymeter"), "ways": found}))


def run(evaluator: object, how: dict) -> dict:
    start = time.perf_counter()
    evaluator.evaluate(**how)
    seconds = time.perf_counter() - start
    results = evaluator.results(confidence_level=0.95)
    counts = {"main": results.n_success, "naive": results.n_baseline, "control": results.n_control}
    return {"seconds": seconds, "risk": evaluator.risk(confidence_level=0.95).value} | {
        name: int(count) for name, count in counts.items()
    }


if __name__ == "__main__":
    main(sys.argv[1:4], json.loads(sys.argv[4]))
