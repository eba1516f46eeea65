"""The questions of paper 003: local steps, budgets, sites and strategies, for DP-Fed-FinDiff in one process.

    python benchmarks/federated_study.py --tables credit_default adult --seeds 3 --out study.jsonl
    python benchmarks/federated_study.py --read study.jsonl --picture study.svg

One factor is varied at a time around five sites, 100 local steps, FedAvg and epsilon 1; rows are parted by a
column of levels (non-IID). Every site has its own budget, with delta one over its rows as in the paper;
bounds and levels are public. Each line of the file is one training, judged by the mean of three risks (500
guesses each; beyond what is guessed of rows that nobody learned from, and may be below 0), the share of right
guesses, the accuracy of five classifiers, and the fidelity of columns and rows; a run that was cut off is
begun again with the same words and skips what the file has. The setting is smaller than the paper's
(`SETTING`): 10 rounds in place of 3,000, a network 128 wide in place of 1,024.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import federated_figures
import numpy as np
import pandas as pd
from setting import DATASETS

import understudy as us
from understudy.federated.federation import Federation
from understudy.federated.partition import by_column, iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of
from understudy.measuring.task import Task
from understudy.metrics import five_classifiers
from understudy.rng import stream

BY = {
    "credit_default": "EDUCATION",
    "adult": "education",
    "bank_marketing": "job",
    "city_payments": "department_title",
}
LEFT_OUT = {
    "city_payments": [
        "fy",
        "document_no",
        "dept",
        "char_",
        "sub_obj",
        "doc_ref_no_prefix",
        "vendor_name",
        "contract_number",
        "contract_description",
        "check_date",
    ],
}
SETTING = {"rounds": 10, "rate": 0.02, "width": 128, "draws": 1, "batch": 256}
JUDGED = 3_000  # rows that classifiers learn from, as the measure has it


class Case(NamedTuple):
    """One training of the study; what it is by default, the questions vary one at a time."""

    table: str
    sites: int = 5
    local_steps: int = 100
    strategy: str = "fedavg"
    epsilon: float | None = 1.0
    parted: str = "column"
    seed: int = 0

    @property
    def steps(self) -> int:
        """How many steps all sites take in a round: what a training costs."""
        return self.local_steps * self.sites


def cases(table: str, seeds: int) -> list[Case]:
    """Return every training of one table, once: also those of all rows at one site."""
    plain = [Case(table, local_steps=g, parted=p) for g in (10, 50, 100, 500) for p in ("column", "even")]
    plain += [Case(table, epsilon=e) for e in (0.2, 10.0, None)]
    plain += [Case(table, sites=n) for n in (3, 10)]
    plain += [Case(table, strategy=s) for s in ("fedprox", "fedadam", "fedyogi")]
    plain += [Case(table, sites=1, epsilon=e) for e in (1.0, None)]
    return [case._replace(seed=seed) for seed in range(seeds) for case in plain]


@lru_cache(maxsize=2)
def parts(table: str) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return the training rows, the rows that judge, and the target."""
    facts = json.loads((DATASETS / f"{table}.json").read_text())
    ids = [column for column, kind in facts["column_kinds"].items() if kind == "id"]
    whole = pd.read_csv(DATASETS / f"{table}.csv.gz", low_memory=False)
    whole = whole.drop(columns=list({*ids, *LEFT_OUT.get(table, ())} & set(whole)))
    order = np.random.default_rng(0).permutation(len(whole))
    cut = round(0.8 * len(whole))
    train, test = (whole.iloc[part].reset_index(drop=True) for part in (order[:cut], order[cut:]))
    return train, test, str(facts["target"])


def stand_in(case: Case, train: pd.DataFrame, device: str) -> tuple[pd.DataFrame, str]:
    """Train as the case says, and return as many rows as there are, with the certificate's status."""
    given = {name: SETTING[name] for name in ("width", "draws", "batch")}
    schema = us.Schema.infer(train).declare()  # bounds and levels count as public
    sites = [
        Site(
            f"site-{number}",
            part,
            None if case.epsilon is None else us.Budget(epsilon=case.epsilon, delta=1 / len(part)),
            schema=schema,
            rows=len(part),
            least_cohort=1,
            device=device,
        )
        for number, part in enumerate(parted(case, train))
    ]
    terms = Terms(
        "findiff",
        columns_of(schema),
        given,
        private=case.epsilon is not None,
        rounds=int(SETTING["rounds"]),
        local_steps=case.local_steps,
        **({} if case.epsilon is None else {"rate": SETTING["rate"]}),
        strategy=case.strategy,
        server_lr=0.01 if case.strategy in {"fedadam", "fedyogi"} else 1.0,
        least_cohort=1,
        weights="declared",
        seed=case.seed,
    )
    model = Federation(sites, terms).fit()
    return model.sample(len(train), seed=case.seed).to_pandas(), model.certificate.status


def parted(case: Case, train: pd.DataFrame) -> list[us.Table]:
    """Return the rows of every site."""
    if case.parted == "even" or case.sites == 1:
        return iid(train, case.sites, case.seed)
    return by_column(train, case.sites, BY[case.table])


def run(case: Case, device: str = "cpu") -> dict[str, Any]:
    """Train, draw and judge."""
    import torch

    torch.set_num_threads(1)
    train, test, target = parts(case.table)
    begun = time.perf_counter()
    drawn, status = stand_in(case, train, device)
    trained = time.perf_counter()
    evidence = us.Evidence(train=train, holdout=test, synthetic=drawn, target=target)
    found = {}
    for name in federated_figures.RISKS:
        told = us.attacks.get(name)(attacks=500)(evidence, seed=case.seed).parts
        # Not cut to 0..1: the mean of cut values would make a risk of chance.
        found |= {name: told["raw"], f"{name} guessed": told["main"]}
    found["privacy"] = float(np.mean([found[name] for name in federated_figures.RISKS]))
    found["guessed"] = float(np.mean([found[f"{name} guessed"] for name in federated_figures.RISKS]))
    found["utility"] = accuracy(evidence, case.seed)
    found["fidelity"] = us.metrics.get("column_row")()(evidence, seed=case.seed).value
    clock = {"training": trained - begun, "judging": time.perf_counter() - trained}
    known = {"certificate": status, **of_real_rows(case.table)}
    return {**case._asdict(), **SETTING, **known, **found, **clock}


def accuracy(evidence: us.Evidence, seed: int) -> float:
    """Return the value of the measure `five_classifiers`, without what it says of real rows each time."""
    measure = five_classifiers.FiveClassifiers(rows=JUDGED)
    rng = stream(seed, measure.title())
    task = Task.of(evidence, rng, rows=JUDGED)
    return _right(task, task.synthetic, int(rng.integers(2**31)))


@lru_cache(maxsize=8)
def of_real_rows(table: str) -> dict[str, float]:
    """Return what as many real rows teach the five, and what always guessing the larger class reaches."""
    train, test, target = parts(table)
    evidence = us.Evidence(train=train, holdout=test, synthetic=train, target=target)
    task = Task.of(evidence, stream(0, "federated study"), rows=JUDGED)
    most = np.bincount(task.labels(task.train)).argmax()
    return {
        "real": _right(task, task.train, 0),
        "majority": float((task.labels(task.test) == most).mean()),
    }


def _right(task: Task, table: Any, seed: int) -> float:
    found = five_classifiers.right_guesses(task, table, seed)
    return float(np.mean([each.mean() for each in found.values()]))


def study(wanted: list[Case], workers: int, device: str, out: Path) -> None:
    """Run the cases, the longest first, and write each as it is done; one that fails does not end others."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    ordered = sorted(wanted, key=lambda case: (case.seed, -case.steps))
    failed = 0
    cut_off = out.exists() and not out.read_text().endswith("\n") and out.stat().st_size > 0
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool, out.open("a") as file:
        jobs = {pool.submit(run, case, device): case for case in ordered}
        for finished in as_completed(jobs):
            try:
                line = finished.result()
            except Exception:  # noqa: BLE001 - told, and tried again by the next run
                print(f"failed: {jobs[finished]}\n{traceback.format_exc()}")
                failed += 1
                continue
            file.write("\n" * cut_off + json.dumps(line) + "\n")
            cut_off = False
            file.flush()
            print(f"{jobs[finished]}: {line['training']:.0f} s, {line['judging']:.0f} s", flush=True)
    if failed:
        raise SystemExit(f"{failed} of {len(wanted)} cases failed; the same command tries them again.")


def done(out: Path) -> set[Case]:
    """Return the cases that a file has; refuse one of another setting."""
    lines = federated_figures.lines_of(out)
    if any({name: line[name] for name in SETTING} != SETTING for line in lines):
        raise SystemExit(f"{out}: it holds trainings of another setting; name another file.")
    return {Case(*(line[name] for name in Case._fields)) for line in lines}


def main() -> None:
    """Run the study, or read one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=["credit_default", "adult", "bank_marketing"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=500, help="leave out cases with more local steps")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", choices=["cpu", "auto"], default="cpu", help="where sites train")
    parser.add_argument("--out", type=Path, default=Path("study.jsonl"))
    parser.add_argument("--read", type=Path)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.read is None:
        every = [case for table in given.tables for case in cases(table, given.seeds)]
        left = set(every) - done(given.out)
        study([case for case in left if case.local_steps <= given.most], *_how(given))
    federated_figures.told(given.read or given.out, given.picture)


def _how(given: argparse.Namespace) -> tuple[int, str, Path]:
    return given.workers, given.device, given.out


if __name__ == "__main__":
    main()
