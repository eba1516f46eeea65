"""Networks and forests on the tables of paper 004, without a budget: presets, defaults, and what is printed.

    python benchmarks/network_quality.py --tables abalone insurance --methods ctgan tvae
    python benchmarks/network_quality.py --forms default --methods arf nflow --mla --json found.json

Splits and measures are those of `marginal_quality.py`: fidelity (the mean of the five groups) to the training
and to the test rows, MLA of four evaluators, and the error of 1,000 three-way queries. Beside them stands
what paper 004 prints for CTGAN and TVAE (Tables 3 to 6, 9 to 12). A form is `paper`, `default`, or settings
of the method as `key=value,key=value`; those after `paper,` change the preset. `--table-2` has the measures
of paper 000 in their place (with `--mla` its utility too), for `--tables loan housing adult cardio`.

The form `package` is the ctgan package itself, at its own settings, of the Python that UNDERSTUDY_CTGAN says:
where it too falls short of what is printed, the measure and not the method is another one.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from marginal_quality import measured, split
from setting import DATASETS, HERE, dataset, settings_of

import understudy as us

# Paper 000, Table 2: resemblance, discriminability and utility, of 100; more is better.
TABLE_2 = {
    "ctgan": {
        "loan": (92, 85, 93), "housing": (94, 92, 64), "adult": (90, 79, 83), "cardio": (84, 68, 97),
    },
    "copulagan": {
        "loan": (92, 95, 70), "housing": (94, 90, 62), "adult": (93, 97, 81), "cardio": (87, 93, 96),
    },
    "adsgan": {
        "loan": (93, 95, 73), "housing": (93, 87, 74), "adult": (88, 59, 83), "cardio": (90, 71, 100),
    },
}  # fmt: skip
IN_TABLE_2 = ("resemblance", "discriminability", "all_columns")
TABLES = ("adult", "phishing", "faults", "bean", "robot", "abalone", "insurance", "wine")
MEASURES = ("train", "test", "mla", "query")
# Tables 3 and 4, 5 and 6, 9 and 10, 11 and 12.
PRINTED = {
    "ctgan": {
        "adult": (0.059, 0.061, 0.039, 0.015), "phishing": (0.062, 0.069, 0.068, 0.051),
        "faults": (0.133, 0.133, 0.525, 0.047), "bean": (0.139, 0.139, 0.103, 0.030),
        "robot": (0.106, 0.109, 0.434, 0.033), "abalone": (0.049, 0.066, 0.282, 0.036),
        "insurance": (0.090, 0.116, 1.700, 0.055), "wine": (0.033, 0.034, 0.222, 0.016),
    },
    "tvae": {
        "adult": (0.085, 0.086, 0.035, 0.025), "phishing": (0.024, 0.028, 0.031, 0.018),
        "faults": (0.055, 0.081, 0.217, 0.026), "bean": (0.047, 0.050, 0.059, 0.019),
        "robot": (0.053, 0.059, 0.128, 0.020), "abalone": (0.048, 0.046, 0.245, 0.016),
        "insurance": (0.078, 0.118, 0.336, 0.050), "wine": (0.039, 0.045, 0.091, 0.028),
    },
}  # fmt: skip

PARTS = 5  # tests that a table has room for: as many rows are drawn as it has

Job = tuple[str, str, str, int]


def main() -> None:
    """Print one line per table, method and form, as they are ready."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="*", default=list(TABLES))
    arguments.add_argument("--methods", nargs="*", default=list(PRINTED))
    arguments.add_argument("--forms", nargs="*", default=["paper", "default"])
    arguments.add_argument("--mla", action="store_true", help="train classifiers and regressors too")
    arguments.add_argument("--seeds", nargs="*", type=int, default=[0])
    arguments.add_argument("--workers", type=int, default=2, help="processes that judge")
    arguments.add_argument("--makers", type=int, default=1, help="processes that fit and draw")
    arguments.add_argument("--table-2", action="store_true", help="the measures of paper 000 instead")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    jobs = list(product(given.tables, given.methods, given.forms, given.seeds))
    found: list[tuple[Job, dict[str, float]]] = []
    # A device cannot be shared with a process that was copied from this one.
    apart = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(given.makers, apart) as makers,
        ProcessPoolExecutor(given.workers, apart) as judges,
    ):
        measure = judge_by_table_2 if given.table_2 else judge
        making, judging = {makers.submit(make, job) for job in jobs}, set()
        while making or judging:
            done, _ = wait(making | judging, return_when=FIRST_COMPLETED)
            judging |= {judges.submit(measure, *each.result(), given.mla) for each in done & making}
            for each in done & judging:
                found.append(each.result())
                print(line(*found[-1]), flush=True)
                if given.json:
                    given.json.write_text(json.dumps(found))
            making, judging = making - done, judging - done


def make(job: Job) -> tuple[Job, Any, float]:
    """Fit and draw; say how long the fit took."""
    name, method, form, seed = job
    train, test, _ = parts(name, seed)
    start = time.perf_counter()
    if form == "package":
        return job, by_package(method, train, PARTS * test.num_rows), time.perf_counter() - start
    model = recipe_of(method, form).fit(train, seed=seed, progress=False)
    fitted = time.perf_counter() - start
    return job, model.sample(PARTS * test.num_rows, seed=seed), fitted


def by_package(method: str, train: pa.Table, rows: int) -> pa.Table:
    """Return rows of the ctgan package."""
    with tempfile.TemporaryDirectory() as folder:
        learned, drawn = (Path(folder) / name for name in ("train.parquet", "drawn.parquet"))
        pq.write_table(train, learned)
        script = HERE / "peers" / "ctgan_rows.py"
        command = [os.environ["UNDERSTUDY_CTGAN"], str(script), method, str(learned), str(rows), str(drawn)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": ""})
        return pq.read_table(drawn)


def judge(job: Job, synthetic: Any, seconds: float, mla: bool) -> tuple[Job, dict[str, float]]:
    """Measure what was drawn."""
    train, test, target = parts(job[0], job[3])
    evidence = us.Evidence(train=train, holdout=test, synthetic=synthetic, target=target)
    scores = measured(evidence, job[3], mla)
    found = {"train": scores["groups"], "test": to_test(evidence, job[3]), "query": scores["query"]}
    return job, {**found, **({"mla": scores["mla"]} if mla else {}), "seconds": seconds}


def judge_by_table_2(job: Job, synthetic: Any, seconds: float, mla: bool) -> tuple[Job, dict[str, float]]:
    """Measure as paper 000 does; its utility is that of every column, and has no part of MLA."""
    train, test, _ = parts(job[0], job[3])
    evidence = us.Evidence(train=train, holdout=test, synthetic=synthetic)
    names = IN_TABLE_2 if mla else IN_TABLE_2[:2]
    found = {name: float(us.metrics.get(name)()(evidence, seed=job[3]).value) for name in names}
    return job, {**found, "seconds": seconds}


def parts(name: str, seed: int) -> tuple[pa.Table, pa.Table, str]:
    """Return the rows to learn from, those to test with, and the target."""
    about = json.loads((DATASETS / f"{name}.json").read_text())
    train, test = split(us.read(dataset(name)).to_arrow(), about, np.random.default_rng(seed))
    return train, test, str(about["target"])


def recipe_of(method: str, form: str) -> Any:
    """Return the recipe of a form."""
    kind: Any = us.synth.get(method)
    first, *rest = form.split(",")
    if first in ("paper", "default"):
        return replace(kind.paper() if first == "paper" else kind(), **settings_of(rest))
    return kind(**settings_of([first, *rest]))


def to_test(evidence: us.Evidence, seed: int) -> float:
    """Return the fidelity to the test rows."""
    rng = np.random.default_rng([seed, 1])
    real = evidence.coded("holdout")
    rows = 3_000 if len(real) > 5_000 else len(real)
    score = us.metrics.get("wasserstein")(scale="joint")
    return float(
        score.score(real.draw(rows, rng), evidence.coded("synthetic").draw(rows, rng), rng).parts[
            "mean_of_groups"
        ]
    )


def line(job: Job, found: dict[str, float]) -> str:
    """Return what was found, and what is printed."""
    name, method, form, seed = job
    by = PRINTED if "train" in found else TABLE_2
    told = " ".join(f"{key} {found[key]:.4f}" for key in (*MEASURES, *IN_TABLE_2) if key in found)
    beside = " ".join(f"{value:.3g}" for value in by.get(method, {}).get(name, ()))
    return f"{name:10s} {method:10s} {form:10s} {seed} {told} in {found['seconds']:.1f} s | {beside}"


if __name__ == "__main__":
    main()
