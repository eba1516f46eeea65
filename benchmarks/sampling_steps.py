"""One trained TabDDPM, drawn from in few and in all of its steps: are the rows as good?

    python benchmarks/sampling_steps.py [--steps 25 50 100 1000] [--rows 10000]

Adult's first 32,561 rows, the method's default settings. A line for each number of steps: seconds, fidelity
over the real-against-real value at as many rows, detection, and use, as in `diffusion_quality.py`.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

from diffusion_quality import Judge

import understudy as us
from understudy.engines.diffusion.tabddpm import TabDDPMGenerator


def main() -> None:
    """Train once, then draw and judge."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--steps", type=int, nargs="+", default=[25, 50, 100, 1_000])
    arguments.add_argument("--rows", type=int, default=10_000)
    given = arguments.parse_args()
    judge = Judge("adult")
    start = time.perf_counter()
    model = us.synth.get("tabddpm")().fit(judge.train, seed=0, progress=False)
    print(f"trained in {time.perf_counter() - start:.1f} s", flush=True)
    for steps in given.steps:
        drawing(model, steps)
        start = time.perf_counter()
        table = model.sample(given.rows, seed=0)
        seconds = time.perf_counter() - start
        print(f"{steps:5d} steps {seconds:7.2f} s | {judge.verdict(table, 0)}", flush=True)


def drawing(model: Any, steps: int) -> None:
    """Let a fitted model draw in so many steps; training knows nothing of their number."""
    tensors, facts = model.sampler.generator.state()
    facts["settings"]["sampling_steps"] = steps
    model.sampler = replace(model.sampler, generator=TabDDPMGenerator.restore(tensors, facts))


if __name__ == "__main__":
    main()
