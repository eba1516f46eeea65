"""The federation of federated_speed.py in Flower's simulation (Ray): python flower_simulation.py JOB.json"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

os.environ["FLWR_TELEMETRY_ENABLED"] = "0"

import flower_sites
from flwr.simulation import run_simulation

from understudy.federated.federation import Federation
from understudy.federated.flower_server import FlowerExchange, name_nodes, server_app
from understudy.federated.flower_site import client_app
from understudy.federated.terms import Terms

job = json.loads(Path(sys.argv[1]).read_text())
terms = Terms.from_json(job["terms"])
fits: list[float] = []


def work(grid, _):
    line = FlowerExchange(grid, name_nodes(grid, job["sites"], patience=120), pause=0.02)
    Federation(line, replace(terms, rounds=1, local_steps=1)).fit()  # every process loads torch
    for number in range(job["repeat"]):  # runs of other names: an answer that was given is not given anew
        started = time.perf_counter()
        model = Federation(line, replace(terms, run=f"{terms.run}{number}")).fit()
        fits.append(time.perf_counter() - started)
    model.save(job["out"])


started = time.perf_counter()
lent = {"num_cpus": job["cores"], "num_gpus": job["gpus"]}
resources = {"client_resources": lent, "init_args": {"include_dashboard": False}}
app = client_app(getattr(flower_sites, job["how"]))
run_simulation(server_app(work), app, job["sites"], backend_config=resources)
start = time.perf_counter() - started - sum(fits)
print(json.dumps({"fit": min(fits), "all": start + min(fits)}))
