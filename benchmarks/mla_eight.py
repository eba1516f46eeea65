"""MLA by all eight evaluators of paper 004, of the private default at epsilon 1 from a bare CSV on.

    python benchmarks/mla_eight.py --runs 5 --workers 16 --json found.json
    python benchmarks/mla_eight.py --tables phishing --evaluators svm linear --trials 1
    python benchmarks/mla_eight.py --evaluators catboost --kept draws  # what was drawn before
    python benchmarks/mla_eight.py --open tvae:paper --tables wine     # a network without a budget
    python benchmarks/mla_eight.py --open tvae --tables wine --without-twins

Splits, fits and samples are those of `marginal_quality.py`, whose `--mla` has the four quick evaluators.
Every evaluator of every run is a job of its own; the costly ones are begun first. A table's line has the mean
of the losses with its 95 % interval over runs, the best printed private value, and each evaluator's mean. The
paper tunes by 50 or 100 trials, which `--trials` may, and takes all rows, where the measure draws 10,000.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import network_quality
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from marginal_quality import PRINTED, _told, split
from network_quality import recipe_of
from setting import DATASETS, dataset

import understudy as us
from understudy.measuring.evaluators import EVALUATORS
from understudy.table.public import by_type
from understudy.table.schema import LEVEL_KINDS

NAMES = [each.name for each in EVALUATORS]
SLOWEST = ("catboost", "ft_transformer", "svm", "mlp")
WIDEST = ("bean", "adult", "phishing", "faults", "robot", "wine")


def main() -> None:
    """Print one line per table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tables", nargs="*", default=list(PRINTED))
    arguments.add_argument("--evaluators", nargs="*", default=NAMES)
    arguments.add_argument("--first", type=int, default=0, help="the seed of the first run")
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--trials", type=int, default=5)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--json", type=Path, help="one line per job, as they end")
    arguments.add_argument("--kept", type=Path, help="a folder of drawn tables; those that are there stay")
    arguments.add_argument(
        "--without-twins", action="store_true", help="no test rows that stand among those for training, too"
    )
    arguments.add_argument("--open", default="", help="METHOD:FORM of `network_quality.py`, without a budget")
    given = arguments.parse_args()
    runs = list(product(given.tables, range(given.first, given.first + given.runs)))
    found: dict[tuple[str, int], dict[str, float]] = {run: {} for run in runs}
    workers = ProcessPoolExecutor(given.workers, mp_context=get_context("spawn"))
    with tempfile.TemporaryDirectory() as gone, workers as pool:
        folder = str(given.kept or gone)
        Path(folder).mkdir(parents=True, exist_ok=True)
        list(
            pool.map(
                make,
                [run for run in runs if not place(folder, *run).exists()],
                repeat(folder),
                repeat(given.open),
            )
        )
        jobs = sorted(
            product(runs, given.evaluators),
            key=lambda job: (order(job[1], SLOWEST), order(job[0][0], WIDEST)),
        )
        twins = not given.without_twins
        waiting = {
            pool.submit(judge, run, name, given.trials, folder, twins=twins): (run, name)
            for run, name in jobs
        }
        for done in as_completed(waiting):
            run, name = waiting[done]
            loss, seconds = done.result()
            found[run][name] = loss
            if given.json:
                with given.json.open("a") as file:
                    file.write(json.dumps([*run, name, loss, seconds]) + "\n")
    for table in given.tables:
        tell(table, [losses for run, losses in found.items() if run[0] == table], given.open)


def order(name: str, first: tuple[str, ...]) -> int:
    """Return the place of a name among the first ones, or behind them."""
    return first.index(name) if name in first else len(first)


def make(run: tuple[str, int], folder: str, openly: str) -> None:
    """Fit the default or what was named, and keep what it drew, whole or not at all."""
    name, seed = run
    whole, train, _ = parts(name, seed)
    model = network(train, openly, seed) if openly else private(train, seed)
    path = place(folder, name, seed)
    pq.write_table(model.sample_table(whole.num_rows, seed=seed).to_arrow(), path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def private(train: pa.Table, seed: int) -> Any:
    """Return what is fitted by default within a budget of epsilon 1."""
    budget = us.Budget(epsilon=1.0, delta=1e-9)
    of_levels = sum(c.kind in LEVEL_KINDS for c in by_type(us.Table(train)).columns)
    method, _ = us.synth.choose(train.num_rows, train.num_columns, budget, of_levels)
    return us.synth.get(method)().fit(train, budget=budget, seed=seed, progress=False)


def network(train: pa.Table, openly: str, seed: int) -> Any:
    """Return a method in one of its forms, fitted without a budget."""
    method, _, form = openly.partition(":")
    return recipe_of(method, form or "default").fit(train, seed=seed, progress=False)


def judge(
    run: tuple[str, int], evaluator: str, trials: int, folder: str, *, twins: bool
) -> tuple[float, float]:
    """Return the loss of one evaluator on one run, and how long it took."""
    start, (name, seed) = time.perf_counter(), run
    _, train, test = parts(name, seed)
    about = json.loads((DATASETS / f"{name}.json").read_text())
    test = test if twins else fresh(train, test, about["target"])
    evidence = us.Evidence(
        train=train,
        holdout=test,
        synthetic=pq.read_table(place(folder, name, seed)),
        target=str(about["target"]),
    )
    measure = us.metrics.get("mla")(evaluators=evaluator, trials=trials, nulls=1, draws=10)
    return measure(evidence, seed=seed).value, time.perf_counter() - start


def parts(name: str, seed: int) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return the whole table, the rows for training and those for testing."""
    whole = us.read(dataset(name)).to_arrow()
    about = json.loads((DATASETS / f"{name}.json").read_text())
    return whole, *split(whole, about, np.random.default_rng(seed))


def fresh(train: pa.Table, test: pa.Table, target: str) -> pa.Table:
    """Return the test rows that no training row is equal to in all columns but the target."""
    known = set(map(tuple, train.drop_columns([target]).to_pandas().to_numpy().tolist()))
    rows = map(tuple, test.drop_columns([target]).to_pandas().to_numpy().tolist())
    return test.filter(pa.array([row not in known for row in rows]))


def place(folder: str, name: str, seed: int) -> Path:
    """Return where the drawn rows of a run are."""
    return Path(folder) / f"{name}-{seed}.parquet"


def tell(table: str, runs: list[dict[str, float]], openly: str) -> None:
    """Print a table's line, and how many of the losses are known: means are of those."""
    method = openly.partition(":")[0]
    networks = network_quality.PRINTED.get(method, {})
    printed = networks[table][2] if networks else np.nan if method else PRINTED[table][3]
    known = sum(not np.isnan(loss) for losses in runs for loss in losses.values())
    means = [float(np.nanmean(list(losses.values()))) for losses in runs]
    each = {name: np.nanmean([losses[name] for losses in runs]) for name in runs[0]}
    told = " ".join(f"{name} {loss:.3f}" for name, loss in sorted(each.items()))
    print(
        f"{table:10s} {_told('mla', means)} printed {printed:.3f}, {known} losses | {told}",
        flush=True,
    )


if __name__ == "__main__":
    main()
