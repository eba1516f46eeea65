"""Generalised linear models with standard errors: least squares, and logistic regression.

No ridge, no prior: the estimates are those that a textbook gives, and where there are none it is said.

Collinear columns   a column that the intercept and the columns before it explain is aliased: its coefficient
                    is NaN, and the others are those of the model without it (the sweep operator's rule).
Separation          where a column tells the classes apart, the likelihood has no maximum; the steps stop
                    when the deviance does, and a coefficient whose standard error is then above 10 (in
                    log-odds per unit of its column) is not estimable: NaN. With fewer rows than
                    coefficients, all are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy import linalg, special, stats

from understudy.errors import ParameterError

__all__ = ["Estimate", "independent", "least_squares", "logistic"]

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_ALIASED = 1e-8
_STEPS = 50
_WIDEST = 10.0
_NORMAL = 1.959963984540054  # the 97.5 % point of the normal law


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """Coefficients, the intercept left out, their standard errors, and the reach of a 95 % interval.

    NaN where a coefficient is aliased or not estimable.
    """

    coefficients: Matrix
    errors: Matrix
    quantile: float

    @property
    def known(self) -> Mask:
        """Which coefficients are estimable."""
        return np.isfinite(self.coefficients)

    @property
    def low(self) -> Matrix:
        """The lower ends of the intervals."""
        return self.coefficients - self.quantile * self.errors

    @property
    def high(self) -> Matrix:
        """The upper ends of the intervals."""
        return self.coefficients + self.quantile * self.errors


def independent(design: Matrix, share: float = _ALIASED) -> Mask:
    """Return which columns the intercept and the kept columns before them do not explain.

    Explained is a column of whose variance they leave no more than `share`.

    >>> independent(np.array([[1.0, 2.0, 7.0], [2.0, 4.0, 7.0], [3.0, 6.0, 7.0]])).tolist()
    [True, False, False]
    """
    # From the first row first: what is left of a constant is then 0 and not the rounding of its mean.
    centred = design - design[0]
    centred -= centred.mean(axis=0)
    gram = centred.T @ centred
    whole = np.diag(gram).copy()
    kept = np.zeros(len(gram), dtype=bool)
    for place in range(len(gram)):
        left = gram[place, place]
        if left <= share * whole[place]:
            continue
        kept[place] = True
        gram = gram - np.outer(gram[:, place], gram[place]) / left
    return kept


def least_squares(design: Matrix, response: Matrix) -> Estimate:
    """Return the linear model of a response, with classical standard errors and Student's quantile.

    >>> estimate = least_squares(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 7.5]))
    >>> round(float(estimate.coefficients[0]), 6), round(float(estimate.errors[0]), 6)
    (2.15, 0.08660...)
    """
    kept = _checked(design, response)
    freedom = len(design) - int(kept.sum()) - 1
    if freedom < 1:
        return _unknown(len(kept))
    basis, triangle = _factored(design[:, kept])
    along = basis.T @ response
    rest = response - basis @ along
    inverse = linalg.solve_triangular(triangle, np.eye(len(triangle)))
    errors = math.sqrt(float(rest @ rest) / freedom) * np.linalg.norm(inverse, axis=1)
    return _spread(kept, (inverse @ along)[1:], errors[1:], float(stats.t.ppf(0.975, freedom)))


def logistic(design: Matrix, response: Matrix) -> Estimate:
    """Return the logistic model of a 0/1 response, by iteratively reweighted least squares.

    >>> y = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    >>> estimate = logistic(np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]), y)
    >>> round(float(estimate.coefficients[0]), 6), round(float(2 * np.log(2)), 6)
    (1.386294, 1.386294)
    """
    kept = _checked(design, response)
    if len(design) <= int(kept.sum()) + 1 or response.min() == response.max():
        return _unknown(len(kept))
    basis, triangle = _factored(design[:, kept])
    along, inner = _maximised(basis, response)
    inverse = linalg.solve_triangular(triangle, np.eye(len(triangle)))
    errors = np.linalg.norm(inverse @ inner, axis=1)
    return _spread(kept, (inverse @ along)[1:], np.where(errors > _WIDEST, np.nan, errors)[1:], _NORMAL)


def _maximised(basis: Matrix, response: Matrix) -> tuple[Matrix, Matrix]:
    """Return the coefficients along an orthonormal basis and a root of their covariance."""
    along = np.zeros(basis.shape[1])
    deviance = _deviance(basis @ along, response)
    for _ in range(_STEPS):
        root = _root(basis, basis @ along)
        step = root @ (root.T @ (basis.T @ (response - special.expit(basis @ along))))
        along, before = _halved(basis, response, along, step), deviance
        deviance = _deviance(basis @ along, response)
        if before - deviance <= 1e-8 * (deviance + 1e-3):
            break
    return along, _root(basis, basis @ along)


def _halved(basis: Matrix, response: Matrix, along: Matrix, step: Matrix) -> Matrix:
    """Return the point after the step, or after half of it and so on until the deviance is no larger."""
    before = _deviance(basis @ along, response)
    for halvings in range(20):
        point: Matrix = along + step / 2.0**halvings
        if _deviance(basis @ point, response) <= before:
            return point
    return along


def _root(basis: Matrix, logits: Matrix) -> Matrix:
    """Return a root of the inverse information; directions without information get a very wide one."""
    chance = special.expit(logits)
    information = basis.T @ (basis * (chance * (1 - chance))[:, None])
    values, vectors = np.linalg.eigh(information)
    return np.asarray(vectors / np.sqrt(np.maximum(values, 1e-12)))


def _deviance(logits: Matrix, response: Matrix) -> float:
    return float(2 * np.sum(np.logaddexp(0.0, np.where(response > 0, -logits, logits))))


def _factored(design: Matrix) -> tuple[Matrix, Matrix]:
    whole = np.column_stack([np.ones(len(design)), design])
    basis, triangle = np.linalg.qr(whole)
    return basis, triangle


def _checked(design: Matrix, response: Matrix) -> Mask:
    if len(design) != len(response) or len(design) == 0:
        raise ParameterError("glm: the design and the response need the same number of rows, at least 1.")
    if not (np.isfinite(design).all() and np.isfinite(response).all()):
        raise ParameterError("glm: the design and the response must be finite.")
    return independent(design)


def _unknown(size: int) -> Estimate:
    return Estimate(np.full(size, np.nan), np.full(size, np.nan), math.nan)


def _spread(kept: Mask, coefficients: Matrix, errors: Matrix, quantile: float) -> Estimate:
    whole, spread = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    spread[kept] = errors
    whole[kept] = np.where(np.isnan(errors), np.nan, coefficients)
    return Estimate(whole, spread, quantile)
