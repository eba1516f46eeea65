"""Random networks, batches, and the slow truth about their clipped gradients."""

import math
from itertools import pairwise

import torch
from torch import nn

from understudy.engines.dpsgd.batches import Batch
from understudy.engines.dpsgd.clipper import Clipper
from understudy.engines.dpsgd.plan import Plan


class Words(nn.Module):
    """An embedding of several words per record, token-wise layers, a norm, a mean, and a layer used twice."""

    def __init__(self, width, levels=7):
        super().__init__()
        self.embedding = nn.Embedding(levels, width, padding_idx=0)
        self.inner = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, index):
        tokens = self.norm(torch.tanh(self.inner(torch.tanh(self.inner(self.embedding(index))))))
        return self.out(tokens).mean(1)


def perceptron(sizes, bias=True, norm=False):
    layers = []
    for inner, outer in pairwise(sizes):
        layers += [nn.Linear(inner, outer, bias=bias), *([nn.LayerNorm(outer)] if norm else []), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def squared(model, x, y):
    return (model(x) - y).square().sum(1)


def plan_of(**changes):
    return Plan(**{"noise": 1.0, "clip": 0.5, "rate": 0.5, "steps": 10, "batch": 8.0, **changes})


def batch_of(plan, *rows, weight=None, number=0):
    weight = torch.ones(len(rows[0]), dtype=torch.bool) if weight is None else weight
    return Batch(rows, weight, plan, number)


def clipped(model, plan, loss, *rows, weight=None, **settings):
    """Return the clipped sum by parameter name, and the clip that was applied to each record."""
    clipper = Clipper(model, plan, **settings)
    for _ in range(2):  # the first pass of a tape is more careful than all others
        clipper.run(batch_of(plan, *rows, weight=weight), loss)
    return {n: v.clone() for n, v in zip(clipper.parameters, clipper.views, strict=True)}, clipper.grid.inner


def one_by_one(model, loss, *rows):
    """Return each record's gradient by name: one forward and one backward pass per record."""
    named = {n: p for n, p in model.named_parameters() if p.requires_grad}
    found = []
    for i in range(len(rows[0])):
        one = loss(model, *[part[i : i + 1] for part in rows]).sum()
        gradients = torch.autograd.grad(one, list(named.values()), allow_unused=True)
        found.append(
            {
                n: torch.zeros_like(p) if g is None else g
                for (n, p), g in zip(named.items(), gradients, strict=True)
            }
        )
    return found


def norm_of(gradients):
    return math.sqrt(sum(float(g.double().square().sum()) for g in gradients))


def clipped_by_hand(model, loss, groups, limit, *rows):
    """Return the sum of gradients clipped one record and one group at a time; groups hold parameter names."""
    total = {n: torch.zeros_like(p) for n, p in model.named_parameters() if p.requires_grad}
    for each in one_by_one(model, loss, *rows):
        for group in groups:
            size = norm_of([each[name] for name in group])
            factor = min(1.0, limit / size) if size else 1.0
            for name in group:
                total[name] += factor * each[name]
    return total
