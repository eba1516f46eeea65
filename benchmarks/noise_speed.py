"""Secure noise against numpy's and torch's own, on one core, all in one run and in turns."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import setting

from understudy.privacy.discrete import discrete_gaussian, discrete_laplace
from understudy.privacy.noise import gumbel, normals, poisson_mask, uniforms
from understudy.privacy.on_grid import rounded_gaussian
from understudy.privacy.stream import Stream

N = 10_000_000
TURNS = 5


def main() -> None:
    """Print medians and ratios; wanted: secure float32 normals in at most 2.5 times numpy's time."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    run, rng = Stream.fresh(), np.random.default_rng()
    steps = np.zeros(N, np.int64)
    print(f"{N:,} values on one core, seconds" + " " * 16 + f"{'ours':>9} {'peer':>9}")
    float32 = functools.partial(normals, run, N, np.float32)
    compare("normals float32, numpy", float32, lambda: rng.standard_normal(N, np.float32), "> 0.4x")
    against_torch(float32)
    float64 = functools.partial(normals, run, N, np.float64)
    compare("normals float64, numpy", float64, lambda: rng.standard_normal(N), "> 0.4x")
    compare("uniforms, numpy", lambda: uniforms(run, N), lambda: rng.random(N), "-")
    compare("gumbel, numpy", lambda: gumbel(run, N), lambda: rng.gumbel(size=N), "-")
    compare("poisson batch, numpy", lambda: poisson_mask(run, 0.01, N), lambda: rng.random(N) < 0.01, "-")
    on_grid = functools.partial(rounded_gaussian, run, steps, 1.0, 2.0**-10)
    compare("gaussian on a grid, numpy's in floats", on_grid, lambda: rng.standard_normal(N) + steps, "-")
    print(f"{'million draws a second':<46}      (wanted: 3)")
    for scale in (0.3, 1.0, 10.0, 1e3, 1e9):
        for name, draw in (("gaussian", discrete_gaussian), ("laplace", discrete_laplace)):
            seconds = median([functools.partial(draw, run, scale, N // 10)])[0]
            print(f"{f'discrete {name}, scale {scale:g}':<46} {N / 1e7 / seconds:9.1f}")


def against_torch(ours: Callable[[], object]) -> None:
    """Compare with torch where it is installed."""
    if importlib.util.find_spec("torch") is None:
        print("normals float32, torch: skipped, torch is not installed")
        return
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    compare("normals float32, torch", ours, lambda: torch.randn(N), "-")


def compare(what: str, ours: Callable[[], object], theirs: Callable[[], object], wanted: str) -> None:
    """Print one line."""
    setting.ratio(what, *median([ours, theirs]), wanted)


def median(calls: list[Callable[[], object]]) -> list[float]:
    """Return the median seconds of each call; they take turns, so that a busy moment hits all of them."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(TURNS):
        for call, seconds in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in times]


if __name__ == "__main__":
    main()
