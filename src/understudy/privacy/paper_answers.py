"""What two of the papers claim, computed: the sampling bounds of 002, and the budgets of 000.

docs/explanation/paper-000-and-002.md puts these numbers into words.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from understudy.errors import ParameterError
from understudy.privacy import closed_forms, gaussian_synthesis
from understudy.privacy.answers import bounded, schedule, steps
from understudy.privacy.renyi import ORDERS, renyi_epsilon

__all__ = ["paper_000", "sampling"]

LARGEST_TABLE = 70_000  # rows of Cardio, the largest table of paper 000

Tree = dict[str, Any]


def sampling(n: int, rows: int, dimensions: int, sigma: float, *, alpha: float, delta: float) -> Tree:
    """Return what drawing `rows` rows from N(mean, covariance) of n rows reveals (paper 002).

    Each bound at the order alpha: per row, times rows, and as epsilon at delta by the paper's own
    conversion; then the best epsilon over all orders by the tight one, of Canonne, Kamath and Steinke.

    >>> found = sampling(10**6, 10**6, 6, 0.01, alpha=4, delta=1e-5)
    >>> round(found["unbounded"]["all_rows"], 4), round(found["bounded"]["epsilon"], 3)
    (5.8064, 27.195)
    """
    if isinstance(rows, bool) or rows < 1:
        raise ParameterError(f"gaussian synthesis: rows must be a whole number >= 1; got {rows!r}.")
    forms = {
        "unbounded": gaussian_synthesis.unbounded,
        "bounded": gaussian_synthesis.bounded,
        "ridge": gaussian_synthesis.ridge,
    }
    given = {"n": n, "rows": rows, "d": dimensions, "sigma": sigma, "alpha": alpha, "delta": delta}
    found: Tree = {**given, "tau": 4 * dimensions / sigma if sigma else None}
    for name, bound in forms.items():
        per_row = bound(alpha, n, dimensions, sigma)
        epsilon = gaussian_synthesis.to_epsilon(rows * per_row, alpha, delta)
        found[name] = {"per_row": bounded(per_row), "all_rows": bounded(rows * per_row)}
        found[name] |= {"epsilon": bounded(epsilon)}
        # The infimum inside the bounded form makes a whole curve of it slow: a coarse one will do.
        orders = ORDERS[::8] if name == "bounded" else ORDERS
        curve = np.array([rows * bound(float(order), n, dimensions, sigma) for order in orders])
        found[name] |= {"best_epsilon": bounded(renyi_epsilon(curve, delta, orders))}
    return found


def paper_000(
    sigma: float, separation: float, *, batch: int = 1, rows: int | None = None, delta: float = 1e-5
) -> Tree:
    """Say whether training with noise sigma can stay within a separation, by the formula of paper 000.

    The formula is mu = sqrt(b E / N) h(sigma), and one step of batch b is E = b / N of an epoch, so one
    step costs (b / N) h(sigma): it fits only if N >= b h(sigma) / mu. With the rows given, one epoch is also
    counted exactly, as certificates do.

    >>> found = paper_000(0.2, 0.1)
    >>> found["possible"], f"{found['fewest_rows_for_one_step']:.3e}"
    (False, '1.065e+06')
    """
    if not 0.04 <= sigma < math.inf:
        raise ParameterError(f"paper-000: sigma must be a finite number from 0.04; got {sigma!r}.")
    if isinstance(batch, bool) or batch < 1 or (rows is not None and not batch <= rows):
        raise ParameterError("paper-000: needs a batch of at least 1 row, and at least as many rows.")
    mu, price = closed_forms.mu_of_separation(separation), closed_forms.h(sigma)
    if mu == 0:
        raise ParameterError("paper-000: separation must be above 0; at 0 nothing can be learned.")
    allowed = (mu / price) ** 2  # of b E / N
    fewest = math.ceil(batch * price / mu)
    size = LARGEST_TABLE if rows is None else rows
    count = math.floor(allowed * (size / batch) ** 2 * (1 + 1e-12))
    found: Tree = {
        "sigma": sigma,
        "separation": separation,
        "batch": batch,
        "rows": size,
        "mu": mu,
        "h": price,
        "allowed_batch_times_epochs_over_rows": allowed,
        "fewest_rows_for_one_step": fewest,
        "steps_allowed": count,
        "epochs_allowed": count * batch / size,
        "possible": count >= 1,
        "verdict": _verdict(sigma, separation, size, batch, count),
    }
    return found if rows is None else found | {"one_epoch_exactly": _one_epoch(sigma, batch, rows, delta)}


def _one_epoch(sigma: float, batch: int, rows: int, delta: float) -> Tree:
    rate, count = schedule(batch, rows, 1)
    exact: Tree = steps(sigma, rate, count, delta)["exact"]
    return {"steps": count, "delta": delta, "separation": exact["separation"], "epsilon": exact["epsilon"]}


def _verdict(sigma: float, separation: float, rows: int, batch: int, count: int) -> str:
    who = f"sigma = {sigma:g} at separation {separation:g}, {rows:,} rows, batch {batch:,}"
    if count == 0:
        return f"{who}: not possible. Not even one step fits the formula of paper 000."
    epochs = count * batch / rows
    return f"{who}: {count:,} steps fit the formula of paper 000, which is {epochs:.3g} epochs."
