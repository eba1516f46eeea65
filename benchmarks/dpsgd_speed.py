"""The price of private gradients: a plain step, Opacus' and ours, in turns in one run.

    PYTHONPATH=src python benchmarks/dpsgd_speed.py              # processor, and a device if there is one
    PYTHONPATH=src python benchmarks/dpsgd_speed.py --only cuda

Every mode takes the whole step: forward, backward, clip, noise (ours: from the secure stream), SGD update.
Opacus is left out where it is not installed. Besides torch and numpy nothing is needed on a device; on the
processor `cryptography` too.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path

import torch
from torch import nn

if importlib.util.find_spec("scipy") is None:
    # The front door of the privacy room loads the accountants, which need scipy. Only its stream and its
    # events are used here: on a bare machine they are reached without the door.
    room = types.ModuleType("understudy.privacy")
    room.__path__ = [str(Path(__file__).resolve().parents[1] / "src" / "understudy" / "privacy")]
    sys.modules["understudy.privacy"] = room

from understudy.engines.dpsgd import Batch, Plan, PoissonBatches, PrivateGradients, capture
from understudy.privacy.stream import Stream

SMALL = (128, 256, 256, 256, 128)
LARGE = (128, 256, 1024, 1024, 1024, 1024, 256, 128)
ENDLESS = 2**31 - 1
ROWS = 50_000  # of the table that Poisson batches are drawn from
SLICES = 10  # of one mode's turn
BATCHES = (512, 4096)
Step = Callable[[], object]
Times = dict[int, float]


def main() -> None:
    """Print one table per device and batch size."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", choices=["cpu", "cuda"])
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=0.5, help="of one mode's turn")
    arguments.add_argument(
        "--modes", nargs="+", choices=list(PROCESSOR), help="of the processor; all if absent"
    )
    arguments.add_argument("--peak", nargs=2, metavar=("MODE", "BATCH"), help="print one mode's peak memory")
    given = arguments.parse_args()
    warnings.simplefilter("ignore")  # of Opacus' hooks
    torch.set_num_threads(2)
    if given.peak:
        print(peak_here(given.peak[0], int(given.peak[1])))
        return
    if given.only != "cuda":
        on_processor(given.turns, given.seconds, given.modes or list(PROCESSOR))
    if given.only != "cpu" and torch.cuda.is_available():
        on_device(given.turns, given.seconds)


# --- the processor


def on_processor(turns: int, seconds: float, modes: list[str]) -> None:
    """Compare on two threads: 128-256-256-256-128."""
    print(f"processor, 2 threads, torch {torch.__version__}, MLP {'-'.join(map(str, SMALL))}")
    if importlib.util.find_spec("cryptography") is None:
        print("  left out: the processor's stream needs `cryptography`")
        return
    for batch in BATCHES:
        steps = {name: PROCESSOR[name](batch) for name in modes if fits(name, batch)}
        report(
            batch, in_turns(steps, turns, seconds, lambda: None), {512: "ours at most 1.5x"}.get(batch, "")
        )
        if sys.platform == "linux":
            peaks = ", ".join(f"{name} {peak_of(name, batch):,.0f}" for name in steps)
            print(f"  peak memory above the start, MiB: {peaks}")


def fits(name: str, batch: int) -> bool:
    """Say whether a mode can run: Opacus installed, and room for one gradient per record."""
    if not name.startswith("opacus"):
        return True
    if importlib.util.find_spec("opacus") is None:
        return False
    room = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if name == "opacus hooks" and batch > 512 and room < 14 * 2**30:
        print(f"  opacus hooks at batch {batch} left out: it needs about 10 GiB")
        return False
    return True


def perceptron(sizes: tuple[int, ...], device: str = "cpu") -> nn.Sequential:
    """Return the network of a benchmark."""
    layers: list[nn.Module] = []
    for inner, outer in pairwise(sizes):
        layers += [nn.Linear(inner, outer), nn.ReLU()]
    return nn.Sequential(*layers[:-1]).to(device)


def per_record(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Mean squared error of each record."""
    return (model(x) - y).square().mean(1)


def data(batch: int, device: str = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    """Return random inputs and targets."""
    return torch.randn(batch, 128, device=device), torch.randn(batch, 128, device=device)


def plain(batch: int) -> Step:
    """SGD without privacy."""
    model, (x, y) = perceptron(SMALL), data(batch)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def step() -> None:
        optimizer.zero_grad()
        per_record(model, x, y).mean().backward()
        optimizer.step()

    return step


def ours(batch: int) -> Step:
    """Book-keeping and secure noise, on the same rows as the others."""
    model, (x, y) = perceptron(SMALL), data(batch)
    plan = Plan(noise=1.0, clip=1.0, rate=batch / ROWS, steps=ENDLESS, batch=batch)
    gradients = PrivateGradients(model, plan, Stream.fresh())
    optimizer, number = torch.optim.SGD(model.parameters(), 1e-3), count()
    everybody = torch.ones(batch, dtype=torch.bool)

    def step() -> None:
        gradients.step(Batch((x, y), everybody, plan, next(number)), per_record)
        optimizer.step()

    return step


def ours_sampled(batch: int) -> Step:
    """The same with Poisson batches drawn from a table, padding included."""
    model, rows = perceptron(SMALL), data(ROWS)
    plan, stream = Plan(noise=1.0, clip=1.0, rate=batch / ROWS, steps=ENDLESS, batch=batch), Stream.fresh()
    gradients, batches = PrivateGradients(model, plan, stream), PoissonBatches(plan, rows, stream)
    return capture(gradients, batches, per_record, torch.optim.SGD(model.parameters(), 1e-3)).step


def opacus_hooks(batch: int) -> Step:
    """Opacus, one gradient per record."""
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    model, (x, y) = GradSampleModule(perceptron(SMALL)), data(batch)
    inner = torch.optim.SGD(model.parameters(), 1e-3)
    optimizer = DPOptimizer(inner, noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=batch)

    def step() -> None:
        optimizer.zero_grad()
        per_record(model, x, y).mean().backward()
        optimizer.step()

    return step


def opacus_ghost(batch: int) -> Step:
    """Opacus, ghost clipping."""
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    module = GradSampleModuleFastGradientClipping(
        perceptron(SMALL), max_grad_norm=1.0, use_ghost_clipping=True
    )
    inner, (x, y) = torch.optim.SGD(module.parameters(), 1e-3), data(batch)
    optimizer = DPOptimizerFastGradientClipping(
        inner, noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=batch
    )

    def loss(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return (out - target).square().mean(1)

    criterion = DPLossFastGradientClipping(module, optimizer, loss)

    def step() -> None:
        optimizer.zero_grad()
        criterion(module(x), y).backward()
        optimizer.step()

    return step


PROCESSOR: dict[str, Callable[[int], Step]] = {
    "plain": plain,
    "ours": ours,
    "ours, sampled": ours_sampled,
    "opacus ghost": opacus_ghost,
    "opacus hooks": opacus_hooks,
}


def peak_of(name: str, batch: int) -> float:
    """Return a mode's peak memory above its start, measured in a process of its own."""
    command = [sys.executable, __file__, "--peak", name, str(batch)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def peak_here(name: str, batch: int) -> float:
    """Return by how many MiB two steps raise this process's peak."""
    torch.ones(256, 256) @ torch.ones(256, 256)  # libraries take their room before
    step = PROCESSOR[name](batch)
    before = highest()
    step()
    step()
    return (highest() - before) / 1024


def highest() -> int:
    """Return the peak of this process in KiB; rusage would begin with the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


# --- the device


def on_device(turns: int, seconds: float) -> None:
    """Compare on a device: 128-256-1024x4-256-128, TF32 products in every mode."""
    torch.set_float32_matmul_precision("high")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, TF32, MLP {'-'.join(map(str, LARGE))}")
    for batch in (4096, 512):
        makers: dict[str, Callable[[], Step]] = {
            "plain eager": lambda batch=batch: device_plain(batch),
            "plain captured": lambda batch=batch: device_captured(batch),
            "ours": lambda batch=batch: device_ours(batch, batch),
            "ours, sampled": lambda batch=batch: device_ours(batch, ROWS),
        }
        built = {name: with_peak(make) for name, make in makers.items()}
        wanted = {4096: "ours at least 600 steps/s", 512: "ours at least 1,000 steps/s"}[batch]
        steps = {name: step for name, (step, _) in built.items()}
        report(batch, in_turns(steps, turns, seconds, torch.cuda.synchronize), wanted)
        peaks = ", ".join(f"{name} {peak:,.0f}" for name, (_, peak) in built.items())
        print(f"  peak memory with model and data, MiB: {peaks}")
    noise_alone(turns)


def with_peak(make: Callable[[], Step]) -> tuple[Step, float]:
    """Return a mode that has taken a step, and the most MiB it has held until then."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step = make()
    step()
    torch.cuda.synchronize()
    return step, (torch.cuda.max_memory_allocated() - before) / 2**20


def device_plain(batch: int) -> Step:
    """One by one, without privacy."""
    model, (x, y) = perceptron(LARGE, "cuda"), data(batch, "cuda")
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def step() -> None:
        optimizer.zero_grad()
        per_record(model, x, y).mean().backward()
        optimizer.step()

    return step


def device_captured(batch: int) -> Step:
    """The same as one graph."""
    step, aside, graph = device_plain(batch), torch.cuda.Stream(), torch.cuda.CUDAGraph()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def device_ours(batch: int, rows: int) -> Step:
    """Draw, gather, clip, noise, update as one graph; with as many rows as slots all are drawn."""
    model, table, stream = perceptron(LARGE, "cuda"), data(rows, "cuda"), Stream.fresh()
    plan = Plan(noise=1.0, clip=1.0, rate=batch / rows, steps=ENDLESS, batch=batch)
    gradients, batches = PrivateGradients(model, plan, stream), PoissonBatches(plan, table, stream)
    steps = capture(gradients, batches, per_record, torch.optim.SGD(model.parameters(), 1e-3))
    for _ in range(5):
        steps.step()
    assert steps.captured
    return steps.step


def noise_alone(turns: int) -> None:
    """Print what the noise of one step costs, beside torch's own."""
    from understudy.engines.dpsgd.source import source_for

    size = sum(p.numel() for p in perceptron(LARGE).parameters())
    out, at = torch.empty(size, device="cuda"), torch.zeros(1, dtype=torch.int32, device="cuda")
    source = source_for(Stream.fresh(), out.device)
    found = in_turns(
        {"torch normal_": out.normal_, "secure noise": lambda: source.noise(at, 2.0**19, out)},
        turns, 0.2, torch.cuda.synchronize,
    )  # fmt: skip
    parts = ", ".join(
        f"{name} {1e6 * statistics.median(times.values()):.0f} us" for name, times in found.items()
    )
    print(f"noise for {size:,} parameters: {parts}")
    source.noise(at, 1000.0, out)
    print(f"  its standard deviation over the planned one: {float(out.std()) / 1000:.4f}")


# --- taking turns


def in_turns(steps: dict[str, Step], turns: int, seconds: float, wait: Step) -> dict[str, Times]:
    """Return seconds per step of every slice, by the slice's number.

    In a turn each mode has the given seconds, in short slices that alternate: what else the machine does
    then slows all modes alike. A mode that is slower than a slice has fewer of them.
    """
    times: dict[str, Times] = {name: {} for name in steps}
    for step in steps.values():
        step()
        step()
    for turn in range(turns):
        left = dict.fromkeys(steps, seconds)
        for number in range(turn * SLICES, (turn + 1) * SLICES):
            for name in [name for name in steps if left[name] > 0]:
                taken, spent = one_slice(steps[name], seconds / SLICES, wait)
                times[name][number] = spent / taken
                left[name] -= spent
    return times


def one_slice(step: Step, seconds: float, wait: Step) -> tuple[int, float]:
    """Take steps for so long, and return how many there were and how long they took."""
    step()  # the caches are still the last mode's
    wait()
    start, taken = time.perf_counter(), 0
    while taken < 1 or time.perf_counter() - start < seconds:
        many = max(1, taken)  # ask for the time less and less often
        for _ in range(many):
            step()
        taken += many
        wait()
    return taken, time.perf_counter() - start


def report(batch: int, times: dict[str, Times], wanted: str) -> None:
    """Print steps per second, and the median and quartiles over slices of the ratio to the first mode."""
    first = next(iter(times.values()))
    print(f" batch {batch}" + (f" (wanted: {wanted})" if wanted else ""))
    for name, each in times.items():
        ratios = [mine / first[number] for number, mine in each.items() if number in first]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        usual, best = statistics.median(each.values()), min(each.values())
        print(
            f"  {name:<16} {1 / usual:10,.1f} steps/s, best {1 / best:10,.1f}   {middle:7.2f}x the first "
            f"(quartiles {low:.2f} to {high:.2f}), best over best {best / min(first.values()):.2f}x"
        )


if __name__ == "__main__":
    main()
