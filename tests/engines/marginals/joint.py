"""A tree model as one table over all attributes: what everything else is checked against."""

import numpy as np

from understudy.engines.marginals.cliques import clique, lined_up, summed
from understudy.engines.marginals.estimate import Measured, estimate


def joint_of(model):
    everything = tuple(range(len(model.sizes)))
    logs = np.zeros(model.sizes)
    for of, potential in zip(model.tree.cliques, model.potentials, strict=True):
        logs = logs + lined_up(potential, of, everything)
    joint = np.exp(logs - logs.max())
    return joint * model.total / joint.sum()


def marginal_of(joint, of):
    return summed(joint, tuple(range(joint.ndim)), of)


def random_model(seed, steps=25):
    """Return a model of random tables over random cliques of up to six attributes."""
    rng = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in rng.integers(1, 4, rng.integers(1, 7)))
    cliques = [
        clique(rng.choice(len(sizes), size=min(len(sizes), int(rng.integers(1, 4))), replace=False).tolist())
        for _ in range(rng.integers(1, 6))
    ]
    measured = [Measured(of, 10 * rng.random([sizes[a] for a in of]), 1.0) for of in cliques]
    return estimate(measured, sizes, steps=steps)
