"""Trials: a model learns from one table and is tried on rows it never saw.

Wrappers that make every model fit for every table: a target of one class, classes that only one table has,
no features at all, values beyond a float's square. Each learns on one thread; `metrics.run` runs processes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.finding import Finding, Score

__all__ = ["TEST_ROWS", "Classes", "Numbers", "learn_classes", "learn_numbers", "one_thread"]
__all__ += ["resampled", "undefined"]

TEST_ROWS = "the interval counts other rows to be tried on, not other rows to learn from"

Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]
Weights = npt.NDArray[np.float64]
# Models square their features, in float32 where they are boosters: 1e9 leaves room, and no scaled value of
# a real table is near it.
_FAR = 1e9
_HUGE = 1e100


@final
@dataclass(frozen=True, eq=False)
class Classes:
    """What was learned of a column of levels: the codes met, their shares, and a model unless none can be."""

    seen: Codes
    shares: Matrix
    model: Any

    def guess(self, features: Matrix) -> Codes:
        """Return the most likely code of each row."""
        if self.model is None:
            return np.full(len(features), self.seen[int(self.shares.argmax())])
        with one_thread():
            return np.asarray(self.seen[np.asarray(self.model.predict(_tame(features)), dtype=np.int64)])

    def chances(self, features: Matrix, codes: Codes) -> Matrix:
        """Return the probability of each of these codes, 0 for one never met: (rows, codes)."""
        if self.model is None:
            learned = np.tile(self.shares, (len(features), 1))
        else:
            with one_thread():
                learned = np.asarray(self.model.predict_proba(_tame(features)), dtype=np.float64)
        places = {int(code): place for place, code in enumerate(self.seen)}
        out = np.zeros((len(features), len(codes)))
        for column, code in enumerate(codes):
            if int(code) in places:
                out[:, column] = learned[:, places[int(code)]]
        return out


@final
@dataclass(frozen=True, eq=False)
class Numbers:
    """What was learned of a quantity: its median and spread in some unit, and a model of standard values."""

    middle: float
    spread: float
    unit: float
    model: Any

    def guess(self, features: Matrix) -> Matrix:
        """Return the expected value of each row, in the unit of the quantity."""
        if self.model is None:
            return np.full(len(features), self.middle * self.unit)
        with one_thread():
            found = np.asarray(self.model.predict(_tame(features)), dtype=np.float64)
        found = found * self.spread + self.middle
        return found if self.unit == 1 else np.clip(found, -1.0, 1.0) * self.unit


def learn_classes(model: Any, features: Matrix, labels: Codes) -> Classes:
    """Fit a classifier to rows with known codes; without features, or of one class, none is needed."""
    seen, places, counts = np.unique(labels, return_inverse=True, return_counts=True)
    shares = counts / counts.sum()
    if len(seen) < 2 or features.shape[1] == 0:
        return Classes(seen, shares, None)
    with one_thread():
        return Classes(seen, shares, model.fit(_tame(features), places))


def learn_numbers(model: Any, features: Matrix, labels: Matrix) -> Numbers:
    """Fit a regressor to rows with known values, standardised, so that the unit does not matter."""
    # Values whose sum is too large for a float are told in the largest of them.
    size = float(np.abs(labels).max())
    unit = size if size > _HUGE else 1.0
    values = labels / unit
    middle, spread = float(np.median(values)), float(np.abs(values - np.median(values)).mean())
    if spread == 0 or features.shape[1] == 0:
        return Numbers(middle, 1.0, unit, None)
    with one_thread():
        return Numbers(middle, spread, unit, model.fit(_tame(features), (values - middle) / spread))


def resampled(
    grade: Callable[[Weights], float], rows: int, draws: int, rng: np.random.Generator
) -> list[float]:
    """Return the grades of test rows drawn again with replacement, given as how often each row is drawn.

    The models stay as they are: it is the noise of having been tried on just these rows. Drawing a row twice
    does no harm here, for nothing is learned from it.

    >>> grade = lambda weights: float(weights[0] / weights.sum())
    >>> 0 < np.std(resampled(grade, 10, 50, np.random.default_rng(0))) < 0.2
    np.True_
    """
    return [
        grade(np.bincount(rng.integers(rows, size=rows), minlength=rows).astype(np.float64))
        for _ in range(draws)
    ]


def undefined(reason: str, n: int = 0, notes: tuple[str, ...] = ()) -> Finding:
    """Return the finding that nothing can be found, and why."""
    nan = float("nan")
    return Finding(Score(nan), nan, nan, nan, n, (f"undefined: {reason}", *notes))


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep numerical libraries to one thread, and their remarks on slow convergence to themselves."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1), warnings.catch_warnings():
        # A model that has not converged after its stated steps is still the stated model.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # A column of many levels may have more of them than half its rows.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        yield


def _tame(features: Matrix) -> Matrix:
    return np.clip(features, -_FAR, _FAR)
