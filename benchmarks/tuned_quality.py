"""CTGAN and TVAE tuned as paper 004 tunes them, on its tables, beside what it prints for them.

    python benchmarks/tuned_quality.py --tables insurance wine --methods tvae --trials 50 --json found.json
    python benchmarks/tuned_quality.py --tables insurance --methods tvae --trials 24 --foresight --most-steps

Settings of `paper()` are drawn from the search spaces of the paper (Tables 20 and 21), fitted on the training
rows and judged by the rows aside: fidelity + MLA + query error, each a third (eq. 11). The best are fitted
with further seeds, each of which has a split of its own, and judged by the test rows, which had no part in
the choice. Splits and measures are those of `network_quality.py`. Where the paper has two widths, of encoder
and decoder or of generator and critic, or two rates, ours has one.

With `--foresight` every trial is fitted with every seed and judged by the test rows themselves, and the one
with the least MLA there is told: no choice that may not look at the test rows can be expected to do better.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa
from marginal_quality import measured, split_in_three
from network_quality import MEASURES, PARTS, PRINTED, recipe_of, to_test
from setting import DATASETS, dataset

import understudy as us

Trial = tuple[str, str, str, int, str]  # table, method, settings, seed, and the rows that judge
Found = tuple[Trial, dict[str, float]]
SEED = 0  # of the split that settings are chosen on


def main() -> None:
    """Print each trial, and then the best of every table and method by the test rows."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="*", default=["faults", "robot", "insurance", "wine"])
    arguments.add_argument("--methods", nargs="*", default=list(PRINTED), choices=list(PRINTED))
    arguments.add_argument("--trials", type=int, default=50)
    arguments.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    arguments.add_argument("--workers", type=int, default=2, help="processes that judge")
    arguments.add_argument("--makers", type=int, default=1, help="processes that fit and draw")
    arguments.add_argument("--foresight", action="store_true", help="choose by MLA of the test rows")
    arguments.add_argument(
        "--most-steps", action="store_true", help="500 epochs of batches of 500 in every trial"
    )
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    apart = multiprocessing.get_context("spawn")  # a device cannot be shared with a copy of this process
    with (
        ProcessPoolExecutor(given.makers, apart) as makers,
        ProcessPoolExecutor(given.workers, apart) as judges,
    ):
        cases = list(product(given.tables, given.methods))
        fixed = {"epochs": 500, "batch": 500} if given.most_steps else {}
        by, seeds = ("test", given.seeds) if given.foresight else ("aside", [SEED])
        trials = [
            (table, method, drawn(method, np.random.default_rng([number, *table.encode()]), fixed), seed, by)
            for number in range(given.trials)
            for table, method in cases
            for seed in seeds
        ]
        found = told(judged(trials, makers, judges), [], given.json)
        ends = found
        if not given.foresight:
            best = [chosen(found, table, method) for table, method in cases]
            tests = [(*each[:3], seed, "test") for each in best for seed in given.seeds]
            ends = told(judged(tests, makers, judges), found, given.json)
    for table, method in cases:
        print(summary(table, method, foreseen([each for each in ends if each[0][:2] == (table, method)])))


def told(results: Iterator[Found], before: list[Found], path: Path | None) -> list[Found]:
    """Return what was found, printed and written beside what was found before as it is ready."""
    found: list[Found] = []
    for trial, scores in results:
        found.append((trial, scores))
        print(line(trial, scores), flush=True)
        if path:
            path.write_text(json.dumps(before + found))
    return found


def foreseen(found: list[Found]) -> list[dict[str, float]]:
    """Return what was found by the settings with the least mean of MLA, one score a seed."""
    by_form: dict[str, list[dict[str, float]]] = defaultdict(list)
    for (_, _, form, _, _), scores in found:
        by_form[form].append(scores)
    return min(by_form.values(), key=lambda each: mean(scores["mla"] for scores in each))


def drawn(method: str, rng: np.random.Generator, fixed: dict[str, int]) -> str:
    """Return settings of the paper's search space, as a change of the preset; some of them may be fixed."""
    found: dict[str, Any] = {
        "epochs": int(rng.integers(100, 501)),
        "batch": int(rng.integers(50, 501)) * 10,  # whole packs
        "latent": int(rng.integers(128, 513)),
        "width": int(rng.integers(128, 513)),
    }
    if method == "tvae":
        found |= {"loss_factor": float(rng.uniform(1, 5))}
        found |= {"weight_decay": float(np.exp(rng.uniform(np.log(1e-6), np.log(1e-3))))}
    else:
        found |= {"lr": float(np.exp(rng.uniform(np.log(1e-5), np.log(1e-3))))}
    return ",".join(["paper", *(f"{key}={value:.4g}" for key, value in (found | fixed).items())])


def judged(trials: list[Trial], makers: ProcessPoolExecutor, judges: ProcessPoolExecutor) -> Iterator[Found]:
    """Yield what was found of each trial, as it is ready."""
    making = {makers.submit(make, trial) for trial in trials}
    judging: set[Any] = set()
    while making or judging:
        done, _ = wait(making | judging, return_when=FIRST_COMPLETED)
        judging |= {judges.submit(judge, *each.result()) for each in done & making}
        yield from (each.result() for each in done & judging)
        making, judging = making - done, judging - done


def make(trial: Trial) -> tuple[Trial, Any]:
    """Fit and draw."""
    table, method, form, seed, by = trial
    train, other, _ = rows_of(table, seed, by)
    model = recipe_of(method, form).fit(train, seed=seed, progress=False)
    return trial, model.sample(PARTS * other.num_rows, seed=seed)


def judge(trial: Trial, synthetic: Any) -> tuple[Trial, dict[str, float]]:
    """Measure what was drawn, by the rows aside or by the test rows."""
    table, _, _, seed, by = trial
    train, other, target = rows_of(table, seed, by)
    evidence = us.Evidence(train=train, holdout=other, synthetic=synthetic, target=target)
    scores = measured(evidence, seed, mla=True)
    return trial, {
        "train": scores["groups"],
        "test": to_test(evidence, seed),
        "mla": scores["mla"],
        "query": scores["query"],
    }


def rows_of(table: str, seed: int, by: str) -> tuple[pa.Table, pa.Table, str]:
    """Return the rows to learn from, those that judge, and the target."""
    about = json.loads((DATASETS / f"{table}.json").read_text())
    train, test, aside = split_in_three(
        us.read(dataset(table)).to_arrow(), about, np.random.default_rng(seed)
    )
    return train, aside if by == "aside" else test, str(about["target"])


def chosen(found: list[Found], table: str, method: str) -> Trial:
    """Return the trial with the least mean of fidelity, MLA and query error (eq. 11)."""
    own = [each for each in found if each[0][:2] == (table, method)]
    return min(own, key=lambda each: (each[1]["test"] + each[1]["mla"] + each[1]["query"]) / 3)[0]


def line(trial: Trial, scores: dict[str, float]) -> str:
    """Return what was found of one trial."""
    table, method, form, seed, by = trial
    told = " ".join(f"{key} {scores[key]:.4f}" for key in MEASURES)
    return f"{by:5s} {table:10s} {method:6s} {seed} {told} {form}"


def summary(table: str, method: str, told: list[dict[str, float]]) -> str:
    """Return means beside what is printed."""
    means = " ".join(f"{key} {mean(each[key] for each in told):.4f}" for key in MEASURES)
    beside = " ".join(f"{value:.3g}" for value in PRINTED[method][table])
    return f"tuned {table:10s} {method:6s} {means} | printed {beside}"


if __name__ == "__main__":
    main()
