"""The mean accuracy of five classifiers, trained on synthetic rows and tried on real ones (paper 003, eq. 8).

Random forest, decision tree, logistic regression, AdaBoost and a multilayer perceptron, with the library's
defaults. The paper prints the mean alone: on Adult its 0.76 is what always saying the larger class reaches.
So the null here is the accuracy that as many real rows give, and `majority` is that of the most frequent
class of the real training rows. A quantity as target has no accuracy: the value is then undefined, and
`all_columns` or `mla` judge such tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.errors import TooFewRows
from understudy.measuring.encoder import Matrix
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import around
from understudy.measuring.measure import Measure
from understudy.measuring.task import Task
from understudy.measuring.trials import TEST_ROWS, Classes, learn_classes, resampled, undefined
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["FiveClassifiers", "right_guesses"]

Right = Mapping[str, npt.NDArray[np.float64]]


@final
@dataclass(frozen=True)
class FiveClassifiers(Measure):
    """Mean accuracy on real rows of five classifiers that learned from synthetic ones; 1 is best.

    target   the column to predict; the evidence's own if empty
    rows     of larger tables so many rows are drawn
    draws    of test rows, for the interval

    >>> import pyarrow as pa
    >>> real = pa.table({"x": [0.1, 0.2, 0.8, 0.9] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> other = pa.table({"x": [0.15, 0.25, 0.75, 0.95] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> FiveClassifiers()(Evidence(train=real, synthetic=other, holdout=other.slice(0, 40))).value
    1.0
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"
    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"

    target: str = check.text("")
    rows: int = check.integer(3_000, low=10, high=1_000_000_000)
    draws: int = check.integer(100, low=10, high=100_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Grade the five after synthetic rows and after as many real rows."""
        try:
            task = Task.of(evidence, rng, target=self.target, rows=self.rows)
        except TooFewRows as why:
            return undefined(str(why))
        if task.is_regression:
            return undefined(f"the target {task.target.name!r} is a quantity; choose levels", 0, task.notes)
        seed = int(rng.integers(2**31))
        right = right_guesses(task, task.synthetic, seed)
        real = right_guesses(task, task.reference(rng), seed)
        rows, null = _mean(right), float(_mean(real).mean())
        value = float(rows.mean())
        draws = resampled(lambda w: float(w @ rows / w.sum()), len(rows), self.draws, rng)
        low, high = around(value, draws, (0.0, 1.0))
        majority = _majority(task)
        parts = {name: float(each.mean()) for name, each in right.items()}
        parts |= {f"{name} real": float(each.mean()) for name, each in real.items()}
        parts |= {"real": null, "majority": majority, "above_majority": value - majority}
        return Finding(
            Score(value, parts), low, high, null, len(rows), (*task.notes, TEST_ROWS, _said(value, majority))
        )


def _five(seed: int) -> dict[str, Any]:
    from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "forest": RandomForestClassifier(n_jobs=1, random_state=seed),
        "tree": DecisionTreeClassifier(random_state=seed),
        "logistic": LogisticRegression(max_iter=1_000),
        "adaboost": AdaBoostClassifier(random_state=seed),
        "mlp": MLPClassifier(random_state=seed),
    }


def right_guesses(task: Task, table: CodedTable, seed: int) -> Right:
    """Return, for each classifier and test row, 1 where its guess is right."""
    features, labels = task.features(table), task.labels(table)
    tried, truth = task.features(task.test), task.labels(task.test)
    return {
        name: (_learned(model, features, labels).guess(tried) == truth).astype(np.float64)
        for name, model in _five(seed).items()
    }


def _learned(model: Any, features: Matrix, labels: npt.NDArray[Any]) -> Classes:
    try:
        return learn_classes(model, features, labels)
    except ValueError as refusal:
        # AdaBoost refuses rows of which no stump makes more than guessing; then it guesses.
        if "worse than random" not in str(refusal):
            raise
        return learn_classes(None, features[:, :0], labels)


def _mean(right: Right) -> npt.NDArray[np.float64]:
    return np.asarray(np.mean(list(right.values()), axis=0))


def _majority(task: Task) -> float:
    most = np.bincount(task.labels(task.train)).argmax()
    return float((task.labels(task.test) == most).mean())


def _said(value: float, majority: float) -> str:
    compared = "no better than" if value <= majority else "better than"
    return f"{compared} always guessing the most frequent class ({majority:.3f})"
