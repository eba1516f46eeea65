"""Tiny models, losses and rows for the tests of training."""

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import nn

from understudy.engines.training.game import Game


def rows_of(count=200, width=3, seed=0):
    return np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)


def network(width=3, seed=0, inner=8):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(width, inner), nn.Tanh(), nn.Linear(inner, width))


def plain_loss(model, rows, _noise):
    return (model(rows) - rows).square().sum(1)


def noisy_loss(model, rows, noise):
    moved = rows + torch.randn(rows.shape, generator=noise, device=rows.device)
    return (model(moved) - rows).square().sum(1)


def bytes_of(model):
    return b"".join(value.numpy().tobytes() for value in model.state_dict().values())


class Sides(Game):
    """A generator of points against a critic of them; batch norm, so that there are buffers too."""

    def __init__(self, *, norm=True):
        torch.manual_seed(0)
        layers = [nn.Linear(2, 8), nn.BatchNorm1d(8) if norm else nn.ReLU(), nn.Linear(8, 3)]
        parts = {"generator": nn.Sequential(*layers), "critic": nn.Linear(3, 1)}
        self._both = nn.ModuleDict(parts)

    @property
    def both(self):
        return self._both

    @property
    def critic(self):
        return self._both["critic"]

    @property
    def generator(self):
        return self._both["generator"]

    def picks(self, rows):
        def pick(count, noise):
            return rows[torch.randint(len(rows), (count,), generator=noise)]

        return pick

    def duel(self, both, rows, noise):
        made = both["generator"](torch.randn(len(rows), 2, generator=noise))
        lost = both["critic"](made.detach()).mean() - both["critic"](rows).mean()
        still = nn.functional.linear(made, *(p.detach() for p in both["critic"].parameters()))
        return (lost - still.mean()).expand(len(rows))

    def judge(self, critic, rows, noise):
        made = rows + torch.randn(rows.shape, generator=noise)
        return (critic(made) - critic(rows))[:, 0]

    def answer(self, noise):
        made = self.generator(torch.randn(20, 2, generator=noise))
        return -nn.functional.linear(made, *(p.detach() for p in self.critic.parameters())).mean()


class Told:
    """A watcher that remembers what it is told."""

    keep = None

    def __init__(self):
        self.words, self.steps = [], 0

    def stage(self, name, steps=1):
        self.words.append(name)
        self.planned = steps

    def step(self, done=1):
        self.steps += done

    def tell(self, text):
        self.words.append(text)


@lru_cache(maxsize=1)
def stories():
    """Have trainings killed several times, and others not: one process for all, as it is slow to start."""
    tests = Path(__file__).parents[2]
    paths = os.pathsep.join([str(tests), str(tests.parent / "src")])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed.py"))],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refuse_other_ends(kind):
    """Refuse another end of a training that was killed than that of one which was not."""
    found = stories()[kind]
    assert found["killed"] == [None] * 4
    assert found["last"][0] == found["whole"][0]
    assert found["last"][1] < found["whole"][1] - 100  # it was taken up, not begun anew
