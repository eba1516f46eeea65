"""A federation in one process against the same in Flower's simulation engine: equal work, equal results.

    UNDERSTUDY_SIMULATION=/path/to/python python benchmarks/federated_speed.py

The interpreter is one of an environment with flwr[simulation], that is Ray, beside torch and understudy. Both
run the same sites and terms; `kept` is one process that holds all sites; `fresh`, Flower's usual way, is a
process for each core, and sites that are taken up from their folders for every message, as Flower's nodes
have no state. Where there is a device, all of its processes share it. Every process has loaded torch and
trained before the clock starts. All take turns, `--repeat` times, and the quickest of each counts: on a
shared machine the others tell of other work. Central training, of as many batches, is what there is to
reach. All but our own sites side by side, which are for two cores, have one thread to a process: networks of
this size are quicker so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file
from setting import HERE, dataset, ratio

import understudy as us
from understudy.engines.nets.one_thread import one_thread
from understudy.federated.exchange import InProcess
from understudy.federated.federation import Federation
from understudy.federated.partition import iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of


class Case(NamedTuple):
    """A table, its sites, and how long they train."""

    table: str
    sites: int
    rounds: int
    steps: int


CASES = (
    Case("bank_marketing", 5, 10, 5),
    Case("bank_marketing", 10, 20, 2),
    Case("bank_marketing", 10, 20, 10),
    Case("credit_default", 10, 20, 10),
)


def lay_out(base: Path, name: str, sites: int) -> us.Schema:
    """Write the rows of each site and the schema that all share."""
    table = us.read(str(dataset(name)))
    schema = us.Schema.infer(table).declare()
    schema.save(base / "schema.json")
    for number, part in enumerate(iid(table, sites)):
        part.write(base / f"{number}.arrow")
    return schema


def here(base: Path, terms: Terms, sites: int, how: str) -> float:
    """Train in this process and return the seconds, from sites that are read to a model."""
    schema = us.Schema.load(base / "schema.json")
    members = [Site(f"s{n}", us.read(str(base / f"{n}.arrow")), schema=schema) for n in range(sites)]
    stacked = None if how == "beside" else False
    with nullcontext() if how == "beside" else one_thread():
        started = time.perf_counter()
        model = Federation(InProcess(members, stacked=stacked), terms).fit()
        seconds = time.perf_counter() - started
    model.save(base / f"here-{how}")
    return seconds


def central(base: Path, terms: Terms, sites: int) -> float:
    """Train on all rows at once, as many batches as all sites take together, and return the seconds."""
    import pyarrow as pa

    schema = us.Schema.load(base / "schema.json")
    table = pa.concat_tables([us.read(str(base / f"{n}.arrow")).to_arrow() for n in range(sites)])
    recipe = us.synth.get(terms.recipe)(**terms.settings, steps=sites * terms.steps)
    with one_thread():
        started = time.perf_counter()
        recipe.fit(table, schema=schema, seed=terms.seed, progress=False)
        return time.perf_counter() - started


def there(base: Path, terms: Terms, sites: int, how: str, repeat: int) -> dict[str, float]:
    """Train in Flower's simulation and return its seconds: of the quickest fit, and with its start."""
    for folder in base.glob("run-*"):
        subprocess.run(["rm", "-r", str(folder)], check=True)
    cores = os.cpu_count() or 1
    job = {"terms": terms.to_json(), "sites": sites, "how": how, "out": str(base / f"there-{how}"),
           "cores": cores if how == "kept" else 1, "gpus": _gpus(sites, how), "repeat": repeat}  # fmt: skip
    (base / "job.json").write_text(json.dumps(job))
    known = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE / "peers"), *([known] if known else [])])
    more = {"PYTHONPATH": path, "FEDERATED_SPEED": str(base), "RAY_DEDUP_LOGS": "0", "OMP_NUM_THREADS": "1"}
    command = [
        os.environ["UNDERSTUDY_SIMULATION"],
        str(HERE / "peers" / "flower_simulation.py"),
        str(base / "job.json"),
    ]
    done = subprocess.run(command, env={**os.environ, **more}, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-3_000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def _gpus(sites: int, how: str) -> float:
    """Return the share of a device that a process of Flower's is lent, where there is one: in all, all."""
    import torch

    if not torch.cuda.is_available():
        return 0.0
    return 1.0 if how == "kept" else 1 / min(sites, os.cpu_count() or 1)


def apart(base: Path, one: str, other: str) -> float:
    """Return the largest difference of two models' weights."""
    first, second = (load_file(base / name / "tensors.safetensors") for name in (one, other))
    return max(float(np.abs(first[key] - second[key]).max()) for key in first if first[key].dtype.kind == "f")


def compare(base: Path, case: Case, width: int, batch: int, repeat: int) -> None:
    """Print seconds and ratios of one case."""
    schema = lay_out(base, case.table, case.sites)
    settings = {"width": width, "depth": 2, "batch": batch}
    terms = Terms("findiff", columns_of(schema), settings, private=False, rounds=case.rounds,
                  local_steps=case.steps)  # fmt: skip
    print(f"\n{case.table}, {case.sites} sites, {case.rounds} rounds of {case.steps} steps, batch {batch}")
    ours: dict[str, list[float]] = {"beside": [], "one by one": [], "central": []}

    def turn(number: int) -> None:
        for _ in range(number, repeat, 3):  # before, between and after Flower's: as often as those in all
            for how in ("beside", "one by one"):
                ours[how].append(here(base, terms, case.sites, how))
            ours["central"].append(central(base, terms, case.sites))

    here(base, replace(terms, rounds=1, local_steps=1), case.sites, "beside")  # loads torch
    turn(0)
    theirs = {}
    for number, how in enumerate(("kept", "fresh"), start=1):
        theirs[how] = there(base, terms, case.sites, how, repeat)
        turn(number)
        print(f"weights apart, {how}: one by one {apart(base, 'here-one by one', f'there-{how}'):.2g}, "
              f"side by side {apart(base, 'here-beside', f'there-{how}'):.2g}")  # fmt: skip
    best = {how: min(seconds) for how, seconds in ours.items()}
    for how, found in theirs.items():
        ratio(f"side by side, Flower {how}: the fit", best["beside"], found["fit"], ">= 10")
        ratio(f"side by side, Flower {how}: with its start", best["beside"], found["all"], ">= 10")
        ratio(f"one by one, Flower {how}: the fit", best["one by one"], found["fit"], "")
    ratio("side by side, central training, as many batches", best["beside"], best["central"], "")


def main() -> None:
    """Print seconds and ratios of the cases that are known, or of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", nargs=4, metavar=("TABLE", "SITES", "ROUNDS", "STEPS"))
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    if "UNDERSTUDY_SIMULATION" not in os.environ:
        print("skipped: UNDERSTUDY_SIMULATION does not name a Python with flwr[simulation]")
        return
    table, *numbers = asked.case or ("", 0, 0, 0)
    for case in [Case(table, *map(int, numbers))] if asked.case else CASES:
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), case, asked.width, asked.batch, asked.repeat)


if __name__ == "__main__":
    main()
