"""Twenty small models trained as one against one by one, on the processor and on a device if there is one.

Run: python benchmarks/stacked_speed.py [steps]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import torch
from torch import Tensor, nn

from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.stacked import train_stacked

MODELS, WIDTH, INNER, BATCH, ROWS = 20, 128, 256, 256, 4_096


def networks() -> list[nn.Module]:
    """Return models of one shape with first weights of their own."""
    torch.manual_seed(0)
    sizes = (WIDTH, INNER), (INNER, INNER), (INNER, WIDTH)
    found = []
    for _ in range(MODELS):
        first, second, third = (nn.Linear(*size) for size in sizes)
        found.append(nn.Sequential(first, nn.SiLU(), second, nn.SiLU(), third))
    return found


def denoising(model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
    """Return the loss of a model that takes noise away."""
    added = torch.randn(rows.shape, generator=noise, device=rows.device)
    return (model(rows + added) - added).square().mean(1)


def seconds(device: str, steps: int) -> tuple[float, float]:
    """Return the time of a step of all models: one by one, and as one."""
    rows = np.random.default_rng(0).standard_normal((MODELS, ROWS, WIDTH), np.float32)
    settings = Settings(steps=steps, batch=BATCH, lr=1e-3, ema=0.99)
    found = []
    for together in (False, True):
        for count in (10, steps):  # the first time is for warming up
            begun, few = time.perf_counter(), Settings(**{**vars(settings), "steps": count})
            if together:
                train_stacked(networks(), denoising, rows, few, 0, device=device)
            else:
                for k, model in enumerate(networks()):
                    OpenFit(rows[k], {"a": few}, 0, device=device).train("a", model, denoising)
            if device == "cuda":
                torch.cuda.synchronize()
            spent = time.perf_counter() - begun
        found.append(spent / steps)
    return found[0], found[1]


if __name__ == "__main__":
    for device in ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]:
        steps = int(sys.argv[1]) if len(sys.argv) > 1 else (20 if device == "cpu" else 2_000)
        apart, stacked = seconds(device, steps)
        print(
            f"{device}: {MODELS} models, batch {BATCH}: one by one {1e3 * apart:.2f} ms a step of all, "
            f"stacked {1e3 * stacked:.2f} ms, {apart / stacked:.1f} x"
        )
