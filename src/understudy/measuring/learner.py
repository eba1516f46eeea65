"""Learners: an evaluator is a kind of model with what may be varied in it; it learns from a lesson.

Every model learns on one thread, and takes its seed as an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import MissingExtra
from understudy.measuring.lesson import Lesson
from understudy.measuring.search import Params, Space
from understudy.measuring.trials import Classes, Numbers, learn_classes, learn_numbers

__all__ = ["Evaluator", "Learned", "Transformer", "catboost", "learn", "sklearn", "xgboost"]

Array = npt.NDArray[Any]
# The model of a lesson's kind, with these parameters and this seed; it has learned nothing yet.
Make = Callable[[Lesson, Params, int], Any]


@final
@dataclass(frozen=True)
class Evaluator:
    """One kind of model: how it is made, what may be varied, and the package and extra that it needs."""

    name: str
    make: Make
    classes: Space
    numbers: Space
    package: str = "sklearn"
    extra: str = ""
    reads_cells: bool = False

    def space(self, *, regression: bool) -> Space:
        """Return what may be varied."""
        return self.numbers if regression else self.classes

    @property
    def missing(self) -> str:
        """What to install before it can be used; nothing if it can."""
        if find_spec(self.package) is not None:
            return ""
        return f"{self.name}: {self.package} is not installed; run: pip install 'understudy[{self.extra}]'"


@final
@dataclass(frozen=True, eq=False)
class Learned:
    """An evaluator after a lesson."""

    what: Classes | Numbers
    reads_cells: bool

    def guess(self, lesson: Lesson) -> Array:
        """Return the predicted labels of a lesson's rows."""
        return self.what.guess(lesson.cells if self.reads_cells else lesson.matrix)


def learn(evaluator: Evaluator, params: Params, lesson: Lesson, seed: int) -> Learned:
    """Let an evaluator learn; from one class, or from rows that are all alike, it learns a constant."""
    if evaluator.missing:
        raise MissingExtra(evaluator.missing)
    features = lesson.cells if evaluator.reads_cells else lesson.matrix
    if not _varies(features):
        features = features[:, :0]
    model = evaluator.make(lesson, params, seed)
    teach = learn_numbers if lesson.regression else learn_classes
    return Learned(teach(model, features, lesson.labels), evaluator.reads_cells)


def _varies(features: npt.NDArray[np.float64]) -> bool:
    first = features[:1]
    return bool(((features != first) & ~(np.isnan(features) & np.isnan(first))).any())


def sklearn(module: str, classifier: str, regressor: str, seeded: str = "both") -> Make:
    """Return how a model of scikit-learn is made; a regressor that draws nothing takes no seed."""

    def make(lesson: Lesson, params: Params, seed: int) -> Any:
        kind = getattr(import_module(f"sklearn.{module}"), regressor if lesson.regression else classifier)
        seeds = {} if seeded == "classifier" and lesson.regression else {"random_state": seed}
        return kind(**params, **seeds)

    return make


def xgboost(lesson: Lesson, params: Params, seed: int) -> Any:
    """Return an XGBoost model (Chen and Guestrin 2016) of 100 rounds."""
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBRegressor if lesson.regression else XGBClassifier
    return kind(**params, n_jobs=1, random_state=seed, verbosity=0)


def catboost(lesson: Lesson, params: Params, seed: int) -> Any:
    """Return a CatBoost model (Prokhorenkova et al. 2018) of 3,000 rounds, as in paper 004's code."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostRegressor if lesson.regression else CatBoostClassifier
    return _Flat(
        kind(
            **params,
            iterations=3_000,
            bootstrap_type="Bayesian",  # the only one that has the temperature of the search space
            random_seed=seed,
            thread_count=1,
            allow_writing_files=False,
            verbose=False,
        )
    )


@final
class _Flat:
    """A model whose predictions come as a column; here they are a row like everyone's."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, features: Array, labels: Array) -> _Flat:
        """Learn."""
        self._model.fit(features, labels)
        return self

    def predict(self, features: Array) -> Array:
        """Return the predictions, one number per row."""
        return np.asarray(self._model.predict(features)).ravel()


@final
class Transformer:
    """An FT-Transformer with the manners of scikit-learn; it reads cells."""

    def __init__(self, lesson: Lesson, params: Params, seed: int) -> None:
        from understudy.engines.nets.ft_training import Training
        from understudy.engines.nets.ft_transformer import Size

        how = {"rate", "decay"}
        sizes: dict[str, Any] = {name: value for name, value in params.items() if name not in how}
        rest: dict[str, Any] = {name: value for name, value in params.items() if name in how}
        self._training = Training(size=Size(**sizes), **rest)
        self._quantities, self._levels, self._seed = lesson.quantities, lesson.levels, seed

    def fit(self, cells: Array, labels: Array) -> Transformer:
        """Learn; a part of these rows decides when to stop."""
        from understudy.engines.nets.ft_training import fit

        self._model = fit(self._cells(cells), labels, self._training, np.random.default_rng(self._seed))
        return self

    def predict(self, cells: Array) -> Array:
        """Return the likeliest class or the expected number of each row."""
        return self._model.predict(self._cells(cells))

    def _cells(self, cells: Array) -> Any:
        from understudy.engines.nets.ft_training import Cells

        numbers, codes = cells[:, : self._quantities], cells[:, self._quantities :]
        return Cells(np.ascontiguousarray(numbers), codes.astype(np.int64), self._levels)
