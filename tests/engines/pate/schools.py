"""A small school, and lessons in it that a test can look at."""

import numpy as np
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Networks, Rules
from understudy.engines.gan.networks import Size
from understudy.engines.pate.school import Classroom, School, Teaching
from understudy.engines.pate.teachers import Teachers

FIELDS = Fields((1,), (0, 2), (3, 2), (np.array([0.5, 0.4, 0.1]), np.array([0.7, 0.3])))
RULES = Rules("logistic", 0.0, bounded=False, logs=False, size=Size(4, 8, 1, "layer"))
KEY = b"a key of the test"


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def school(teachers=6, queries=10, fields=FIELDS, **teaching):
    told = Teaching(**teaching)
    networks = Networks(fields, RULES, 100.0, seeded())
    room = Classroom(networks, Teachers(teachers, networks.seen, 4, seeded(1)), told.memory)
    return School(room, queries, told, KEY)


def some_rows(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, rows), rng.normal(size=rows), rng.integers(0, 2, rows)]
    return np.stack(columns, 1).astype(np.float32)


def taught(rows, told, steps=8, look=5, **more):
    """Return a school after some steps on rows."""
    made, noise = school(**more), seeded(2)
    picks = made.parts(torch.from_numpy(rows), KEY)
    optimizer = torch.optim.Adam(made.both.parameters(), 0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        made.lesson(made.both, picks(look, noise), noise, told).mean().backward()
        optimizer.step()
    return made


def bytes_of(module):
    return b"".join(value.numpy().tobytes() for value in module.state_dict().values())


def teachers_of(made):
    """Return the weights of each teacher, as bytes."""
    room = made.both.teachers
    return [b"".join(p[t].detach().numpy().tobytes() for p in room.parameters()) for t in range(room.count)]
