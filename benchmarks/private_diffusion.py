"""The diffusion family within a budget, beside the private marginal methods, at the same certificate.

    python benchmarks/private_diffusion.py               # the tables of paper 000, separation 0.1
    python benchmarks/private_diffusion.py --tables adult --budgets 0.1 0.15 0.2 e1 e3 e10
    python benchmarks/private_diffusion.py --methods tldm:guarantee=teacher_table tabdiff aim --workers 12

A budget is a separation, or e and an epsilon (delta 1e-9). Bounds and levels are declared, so that all of a
budget goes into learning; `--bare` buys them too. Each line has what paper 000 prints (Table 3: resemblance
and discriminability, more is better), the pairwise Wasserstein fidelity, and what boosted trees lose by
training on the synthetic rows.

With `--workers` networks are fitted here, one after the other, as on a device; marginal methods are fitted,
and all tables judged, in so many other processes (say OMP_NUM_THREADS=1). Lines come as they are ready.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pandas as pd
from diffusion_quality import NETWORKS, Judge

import understudy as us

DELTA = 1e-9
# Paper 000, Table 3, DP-TLDM at separation 0.1: resemblance and discriminability.
PRINTED = {"loan": (63, 57), "housing": (86, 81), "adult": (77, 63), "cardio": (86, 50)}


class Job(NamedTuple):
    """What to fit: a table, a budget, and a method with its settings."""

    name: str
    budget: str
    method: str
    bare: bool


class Fitted(NamedTuple):
    """What a fit within a budget made."""

    table: pd.DataFrame
    status: str
    separation: float
    seconds: float


def main() -> None:
    """Print one line per table, method and budget."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="+", default=list(PRINTED))
    arguments.add_argument("--methods", nargs="+", default=["tldm", "tabddpm", "tabdiff", "mst", "aim"])
    arguments.add_argument("--budgets", nargs="+", default=["0.1"])
    arguments.add_argument("--bare", action="store_true")
    arguments.add_argument("--workers", type=int, default=0)
    given = arguments.parse_args()
    print(f"paper 000 prints for DP-TLDM at separation 0.1: {PRINTED}", flush=True)
    jobs = [Job(*each, given.bare) for each in product(given.tables, given.budgets, given.methods)]
    if not given.workers:
        for job in jobs:
            whole(job)
        return
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
        for line in spread(jobs, pool):
            line.result()  # an error of any ends the benchmark


def spread(jobs: list[Job], pool: ProcessPoolExecutor) -> list[Future[str]]:
    """Fit networks here, and have the rest done by others, the slow ones first."""
    beside = sorted((job for job in jobs if not is_network(job)), key=lambda job: not is_slow(job))
    lines = [pool.submit(whole, job) for job in beside]
    lines += [pool.submit(line_of, job, fitted(job)) for job in jobs if is_network(job)]
    return lines


def is_network(job: Job) -> bool:
    """Return whether a job is that of a network."""
    return job.method.partition(":")[0] in NETWORKS


def is_slow(job: Job) -> bool:
    """Return whether a marginal method takes its time."""
    return job.method.startswith("aim")


def whole(job: Job) -> str:
    """Fit and judge."""
    return line_of(job, fitted(job))


def fitted(job: Job) -> Fitted:
    """Fit within the budget, and draw as many rows as there are."""
    judge = judge_of(job.name)
    start = time.perf_counter()
    schema = None if job.bare else us.Schema.infer(judge.train).declare()
    model = recipe_of(job.method).fit(
        judge.train, schema=schema, budget=budget_of(job.budget), progress=False
    )
    table = model.sample(len(judge.train), seed=0)
    certificate = model.certificate
    spent = time.perf_counter() - start
    return Fitted(table, str(certificate.status), certificate.separation(), spent)


def line_of(job: Job, made: Fitted) -> str:
    """Judge what came out."""
    judge = judge_of(job.name)
    evidence = us.Evidence(train=judge.train, holdout=judge.test, synthetic=made.table)
    found = {
        name: us.metrics.get(name)()(evidence).value
        for name in ("resemblance", "discriminability", "wasserstein")
    }
    told = " ".join(f"{name} {value:.4f}" for name, value in found.items())
    line = (
        f"{job.name:8s} {job.budget:5s} {job.method:15s} {made.status}, separation {made.separation:.3f}, "
        f"fit {made.seconds:5.1f} s | {told} | use {judge.lost(made.table)}"
    )
    print(line, flush=True)
    return line


@cache
def judge_of(name: str) -> Judge:
    """Return the judge of a table, one in each process."""
    return Judge(name)


def recipe_of(told: str) -> Any:
    """Return a recipe by its name, and settings as in tldm:guarantee=paper,split=0.5."""
    method, _, rest = told.partition(":")
    pairs = (pair.split("=", 1) for pair in rest.split(",") if pair)
    return us.synth.get(method)(**{key: value_of(value) for key, value in pairs})


def value_of(text: str) -> Any:
    """Return a number where a text is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def budget_of(text: str) -> us.Budget:
    """Return the budget of a separation, or of e and an epsilon."""
    if text.startswith("e"):
        return us.Budget(epsilon=float(text[1:]), delta=DELTA)
    return us.Budget.separation(float(text))


if __name__ == "__main__":
    main()
