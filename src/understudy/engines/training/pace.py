"""How fast a training goes: the rate of learning of every step, and how much of it the average takes in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.engines.training.fit import Settings

__all__ = ["rates", "shares"]


def rates(settings: Settings) -> npt.NDArray[np.float64]:
    """Return the rate of learning of each step: a linear rise over the warm-up, then the schedule.

    >>> rates(Settings(steps=4, lr=1.0, schedule="linear")).tolist()
    [1.0, 0.75, 0.5, 0.25]
    >>> rates(Settings(steps=4, lr=1.0, warmup=2)).tolist()
    [0.5, 1.0, 1.0, 1.0]
    """
    step = np.arange(settings.steps, dtype=np.float64)
    done = (step - settings.warmup) / max(1, settings.steps - settings.warmup)
    if settings.schedule == "linear":
        after = 1 - done
    elif settings.schedule == "cosine":
        after = (1 + np.cos(np.pi * done)) / 2
    else:
        after = np.ones_like(done)
    rise = (step + 1) / max(1, settings.warmup)
    return np.asarray(settings.lr * np.where(step < settings.warmup, rise, after))


def shares(settings: Settings) -> npt.NDArray[np.float64]:
    """Return the weight of each step's iterate in the average: 1 - min(ema, (1 + t) / (10 + t)).

    The ramp lets go of the first, random weights early.

    >>> shares(Settings(steps=3, ema=0.15)).round(3).tolist()
    [0.9, 0.85, 0.85]
    """
    step = np.arange(settings.steps, dtype=np.float64)
    return 1 - np.minimum(settings.ema, (1 + step) / (10 + step))
