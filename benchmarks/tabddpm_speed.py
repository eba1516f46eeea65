"""TabDDPM at Adult's shape: training steps beside those of the bare network, and the time to draw rows.

    PYTHONPATH=src python benchmarks/tabddpm_speed.py              # processor, and a device if there is one
    PYTHONPATH=src python benchmarks/tabddpm_speed.py --only cuda

6 numbers, categories of 9, 16, 7, 15, 6, 5, 2 and 42 levels, and a label of 2: random rows, since only shapes
count. The bare network takes its inputs through forward, backward and AdamW, and nothing else; on a device it
is captured as one graph, as our steps are, and products are TF32. Modes take turns in one run.

On the processor the network is that of synthcity's default, three layers of 256 at batch 1024. Seconds are
those that one thread computes, which a busy machine leaves alone, or with `--threads 2` those on the wall. On
the machine that the project measures on, that package needs 65 ms of one thread for a step and 119 s for
2,048 rows.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from understudy.engines.diffusion.tabddpm import NoiseLoss, TabDDPMGenerator, TabDDPMLearner, TabDDPMNetwork
from understudy.engines.fields import Fields
from understudy.engines.training.fit import Settings
from understudy.engines.training.loop import BLOCK
from understudy.engines.training.precision import computing
from understudy.engines.training.replaying import Replaying
from understudy.engines.training.steps import OpenSteps

NUMBERS, LEVELS, LABEL = 6, (9, 16, 7, 15, 6, 5, 2, 42), 2
FIELDS = Fields(tuple(range(NUMBERS)), tuple(range(NUMBERS, NUMBERS + len(LEVELS) + 1)), (*LEVELS, LABEL))
ROWS, SEED = 32_561, (0, "denoiser")
LARGE = TabDDPMLearner(label="label", layers=(256, 1024, 1024, 1024, 1024, 256), hide=0.0)
SMALL = replace(LARGE, layers=(256, 256, 256))
SLICES = 10
Step = Callable[[], None]


def main() -> None:
    """Print one table per device."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", choices=["cpu", "cuda"])
    arguments.add_argument("--threads", type=int, default=1, help="of the processor")
    arguments.add_argument("--seconds", type=float, default=3.0, help="of one mode, in all")
    given = arguments.parse_args()
    if given.only != "cuda":
        torch.set_num_threads(given.threads)
        training("cpu", SMALL, 1_024, given.seconds)
        drawing("cpu", SMALL, 2_048, (25, 50, 100))
    if given.only != "cpu" and torch.cuda.is_available():
        training("cuda", LARGE, 4_096, given.seconds)
        drawing("cuda", LARGE, 10_000, (25, 50, 100, 1_000))


def rows() -> np.ndarray:
    """Return a random matrix of this shape."""
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((ROWS, NUMBERS))
    return np.column_stack([numbers, *(rng.integers(0, size, ROWS) for size in FIELDS.sizes)]).astype(
        np.float32
    )


def network(learner: TabDDPMLearner, device: str) -> TabDDPMNetwork:
    """Return the network, with its label last."""
    return TabDDPMNetwork(FIELDS, learner, torch.Generator().manual_seed(0)).to(device)


def training(device: str, learner: TabDDPMLearner, batch: int, seconds: float) -> None:
    """Print steps per second of the bare network and of ours."""
    name = (
        torch.cuda.get_device_name() if device == "cuda" else f"processor, {torch.get_num_threads()} threads"
    )
    print(f"{name}, torch {torch.__version__}; layers {','.join(map(str, learner.layers))}, batch {batch}")
    with computing("auto", torch.device(device)):
        modes: dict[str, Step] = {
            "bare network": bare(learner, device, batch),
            "cross-entropy": ours(learner, device, batch),
            "cross-entropy, label hidden in 10 %": ours(replace(learner, hide=0.1), device, batch),
            "kl": ours(replace(learner, loss_of_codes="kl", reverse="plugged"), device, batch),
        }
        found = in_turns(modes, seconds, torch.cuda.synchronize if device == "cuda" else lambda: None)
    first = found["bare network"]
    for mode, spent in found.items():
        print(
            f"  {mode:<38} {1 / spent:9,.1f} steps/s  {1e3 * spent:7.3f} ms  {spent / first:5.2f}x the bare"
        )


def bare(learner: TabDDPMLearner, device: str, batch: int) -> Step:
    """Forward, backward and AdamW on the network's inputs as they are."""
    model = network(learner, device).network
    noise = torch.Generator(device).manual_seed(0)
    x = torch.randn(batch, NUMBERS + sum(LEVELS), generator=noise, device=device)
    t = torch.randint(1_000, (batch,), generator=noise, device=device)
    label = torch.randint(LABEL, (batch,), generator=noise, device=device)
    rate = torch.tensor(1e-3, device=device) if device == "cuda" else 1e-3
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, fused=True, capturable=device == "cuda")

    def once() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(x, t, label).square().mean().backward()
        optimizer.step()

    replaying = Replaying(once, torch.device(device), noise)
    return lambda: replaying.take(print)


def ours(learner: TabDDPMLearner, device: str, batch: int) -> Step:
    """Whole steps of a training: gather, noise, loss, gradients, AdamW, rate, average."""
    settings = Settings(steps=2**20, batch=batch, lr=2e-3, schedule="linear", ema=0.999)
    held = torch.from_numpy(rows()).to(device)
    steps = OpenSteps(network(learner, device), NoiseLoss(learner), held, settings, SEED)
    taken = 0

    def once() -> None:
        nonlocal taken
        if taken % BLOCK == 0:
            steps.begin(taken // BLOCK)
        steps.take(print)
        taken += 1

    return once


def now() -> float:
    """Return seconds on the wall, or those that a single thread of the processor has computed."""
    alone = torch.get_num_threads() == 1 and not torch.cuda.is_initialized()
    return time.process_time() if alone else time.perf_counter()


def in_turns(modes: dict[str, Step], seconds: float, wait: Callable[[], object]) -> dict[str, float]:
    """Return the median seconds of a step over slices in which all modes take turns."""
    found: dict[str, list[float]] = {name: [] for name in modes}
    for step in modes.values():
        for _ in range(5):
            step()
    for _ in range(SLICES):
        for name, step in modes.items():
            wait()
            begun, taken = now(), 0
            while taken < 1 or now() - begun < seconds / SLICES:
                for _ in range(max(1, taken)):
                    step()
                taken += max(1, taken)
                wait()
            found[name].append((now() - begun) / taken)
    return {name: statistics.median(spent) for name, spent in found.items()}


def drawing(device: str, learner: TabDDPMLearner, count: int, steps: tuple[int, ...]) -> None:
    """Print the time to draw rows in so many steps of the 1,000."""
    model = network(learner, device)
    for visited in steps:
        generator = TabDDPMGenerator(model, replace(learner, sampling_steps=visited))
        spent = []
        for seed in range(3):
            begun = now()
            generator.draw(count, np.random.default_rng(seed))
            spent.append(now() - begun)
        print(f"  {count:,} rows in {visited} steps: {statistics.median(spent):.3f} s")


if __name__ == "__main__":
    main()
