"""A federation in one process against the same in Flower's simulation engine: equal work, equal results.

    UNDERSTUDY_SIMULATION=/path/to/python python benchmarks/federated_speed.py

The interpreter is one of an environment with flwr[simulation], that is Ray, beside torch and understudy. Both
run the same sites, terms and local trainer; `kept` is one process that holds all sites, with all cores;
`fresh` is a process for each core, and sites that are taken up from their folders for every message, as
Flower's nodes have no state. Where there is a device, all of its processes share it. Every process has loaded
torch before the clock starts. Each is run `--repeat` times and the quickest counts: on a shared machine the
others tell of other work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from setting import HERE, dataset, ratio

import understudy as us
from understudy.federated.exchange import InProcess
from understudy.federated.federation import Federation
from understudy.federated.partition import iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of


def lay_out(base: Path, name: str, sites: int) -> us.Schema:
    """Write the rows of each site and the schema that all share."""
    table = us.read(str(dataset(name)))
    schema = us.Schema.infer(table).declare()
    schema.save(base / "schema.json")
    for number, part in enumerate(iid(table, sites)):
        part.write(base / f"{number}.arrow")
    return schema


def here(base: Path, terms: Terms, sites: int, *, stacked: bool) -> float:
    """Train in this process and return the seconds, from sites that are read to a model."""
    schema = us.Schema.load(base / "schema.json")
    members = [Site(f"s{n}", us.read(str(base / f"{n}.arrow")), schema=schema) for n in range(sites)]
    started = time.perf_counter()
    model = Federation(InProcess(members, stacked=stacked), terms).fit()
    seconds = time.perf_counter() - started
    model.save(base / f"here-{stacked}")
    return seconds


def there(base: Path, terms: Terms, sites: int, how: str) -> dict[str, float]:
    """Train in Flower's simulation and return its seconds."""
    for folder in base.glob("run-*"):
        subprocess.run(["rm", "-r", str(folder)], check=True)
    cores = os.cpu_count() or 1
    job = {"terms": terms.to_json(), "sites": sites, "how": how, "out": str(base / f"there-{how}"),
           "cores": cores if how == "kept" else 1, "gpus": _gpus(sites, how)}  # fmt: skip
    (base / "job.json").write_text(json.dumps(job))
    known = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE / "peers"), *([known] if known else [])])
    environment = {**os.environ, "PYTHONPATH": path, "FEDERATED_SPEED": str(base), "RAY_DEDUP_LOGS": "0"}
    command = [
        os.environ["UNDERSTUDY_SIMULATION"],
        str(HERE / "peers" / "flower_simulation.py"),
        str(base / "job.json"),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
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


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="credit_default")
    parser.add_argument("--sites", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    if "UNDERSTUDY_SIMULATION" not in os.environ:
        print("skipped: UNDERSTUDY_SIMULATION does not name a Python with flwr[simulation]")
        return
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        schema = lay_out(base, asked.table, asked.sites)
        settings = {"width": asked.width, "depth": 2, "batch": asked.batch}
        terms = Terms("findiff", columns_of(schema), settings, private=False, rounds=asked.rounds,
                      local_steps=asked.steps)  # fmt: skip
        what = f"{asked.sites} sites, {asked.rounds} rounds of {asked.steps} steps, batch {asked.batch}"
        print(f"{asked.table}, {what}")
        here(base, replace(terms, rounds=1, local_steps=1), asked.sites, stacked=True)  # loads torch
        times = range(asked.repeat)
        ours = {
            stacked: min(here(base, terms, asked.sites, stacked=stacked) for _ in times)
            for stacked in (True, False)
        }
        for how in ("kept", "fresh"):
            found = min((there(base, terms, asked.sites, how) for _ in times), key=lambda each: each["fit"])
            print(f"weights apart: one by one {apart(base, 'here-False', f'there-{how}'):.2g}, "
                  f"stacked {apart(base, 'here-True', f'there-{how}'):.2g}")  # fmt: skip
            ratio(f"stacked against Flower, {how}: the fit", ours[True], found["fit"], ">= 10")
            ratio(f"stacked against Flower, {how}: with its start", ours[True], found["all"], ">= 10")
            ratio(f"one by one against Flower, {how}: the fit", ours[False], found["fit"], "")


if __name__ == "__main__":
    main()
