"""Train on synthetic, test on real: the area under the ROC curve (paper 001, section 5.2).

A booster learns the target from the synthetic rows and ranks the rows of the holdout. For two classes the
interval is DeLong's; for more, the mean area of each class against all others, and test rows drawn again.
The null is what the same booster reaches after as many real rows. The interval is the noise of the test rows
alone: after rows that teach nothing, chance leads the booster to either side of 1/2, and often outside it.

The same holdout later serves as the non-members of membership attacks: a synthesizer that was chosen by this
score has been fitted to them a little, which a note says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.errors import TooFewRows
from understudy.measuring.booster import booster, booster_name
from understudy.measuring.finding import Finding, Score
from understudy.measuring.grades import Areas
from understudy.measuring.interval import Interval, around, delong
from understudy.measuring.measure import Measure
from understudy.measuring.task import Task
from understudy.measuring.trials import TEST_ROWS, learn_classes, resampled, undefined
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["TstrAuroc"]

_TWICE = "the holdout also serves as non-members of attacks; choosing by this score fits it to them"


@final
@dataclass(frozen=True)
class TstrAuroc(Measure):
    """Area under the ROC curve on real rows, learned from synthetic rows; the null learned from real rows.

    target   the column to predict; the evidence's own if empty
    rows     of larger tables so many rows are drawn
    rounds   of boosting
    draws    of test rows, for the interval of more than two classes

    >>> import pyarrow as pa
    >>> real = pa.table({"x": [0.1, 0.2, 0.8, 0.9] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> other = pa.table({"x": [0.15, 0.25, 0.75, 0.95] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> TstrAuroc(rounds=5)(Evidence(train=real, synthetic=other, holdout=other.slice(0, 40))).value
    1.0
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"
    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"

    target: str = check.text("")
    rows: int = check.integer(50_000, low=10, high=1_000_000_000)
    rounds: int = check.integer(100, low=1, high=10_000)
    draws: int = check.integer(100, low=10, high=100_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Rank the test rows after synthetic and after real rows."""
        try:
            task = Task.of(evidence, rng, target=self.target, rows=self.rows)
        except TooFewRows as why:
            return undefined(str(why))
        if task.is_regression:
            return undefined(f"the target {task.target.name!r} is a quantity; choose levels", 0, task.notes)
        classes = np.unique(task.labels(task.test))
        if len(classes) < 2:
            return undefined(f"all test rows have the same {task.target.name!r}", len(task.test), task.notes)
        seed = int(rng.integers(2**31))
        chances = self._chances(task, task.synthetic, classes, seed)
        value, (low, high) = self._area(task, classes, chances, rng)
        real, _ = self._area(task, classes, self._chances(task, task.reference(rng), classes, seed), rng)
        met = np.isin(np.unique(task.labels(task.train)), classes).mean()
        parts = {"real": real, "loss": real - value, "classes": float(len(classes)), "coverage": float(met)}
        twice = (_TWICE,) if evidence.has("holdout") else ()
        notes = (*task.notes, f"learned by {booster_name()}, {self.rounds} rounds", TEST_ROWS, *twice)
        return Finding(Score(value, parts), low, high, real, len(task.test), notes)

    def _chances(
        self, task: Task, table: CodedTable, classes: npt.NDArray[Any], seed: int
    ) -> npt.NDArray[np.float64]:
        model = booster(regression=False, rounds=self.rounds, seed=seed)
        learned = learn_classes(model, task.features(table), task.labels(table))
        return learned.chances(task.features(task.test), classes)

    def _area(
        self,
        task: Task,
        classes: npt.NDArray[Any],
        chances: npt.NDArray[np.float64],
        rng: np.random.Generator,
    ) -> tuple[float, Interval]:
        truth = task.labels(task.test)
        if len(classes) == 2:
            scores = _leaning(chances)
            return delong(scores[truth == classes[1]], scores[truth == classes[0]])
        areas = Areas.of(truth, classes, chances)
        value = areas.macro(np.ones(len(truth)))
        return value, around(value, resampled(areas.macro, len(truth), self.draws, rng), (0.0, 1.0))


def _leaning(chances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the chance of the second of two classes, given that it is one of the two; half if neither is."""
    total = chances.sum(axis=1)
    return np.where(total > 0, chances[:, 1] / np.where(total > 0, total, 1.0), 0.5)
