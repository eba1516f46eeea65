"""Machine learning affinity (paper 004, Definition 4 and Eq. 9): do models learn as well from the stand-in?

Each evaluator learns once from real and once from synthetic rows, with the same parameters and seed, and is
tried on real rows that neither saw. Its loss is how much worse the second is, relative to the first; the
score is the mean over the evaluators. Parameters are tuned on real training rows alone, never on test rows.

Eq. 9 as printed has the wrong sign for RMSE, and the paper's code takes absolute values, so that a better
model counts like a worse one; here a loss is positive where the synthetic table is worse, whatever the
grade. Both other readings are parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy import check
from understudy.errors import MissingExtra, TooFewRows
from understudy.measuring.affinity import grade, printed_loss, relative_loss
from understudy.measuring.evaluators import EVALUATORS, FAST
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import Interval
from understudy.measuring.learner import Evaluator, learn
from understudy.measuring.lesson import Lesson
from understudy.measuring.measure import Measure
from understudy.measuring.search import Params
from understudy.measuring.task import Task
from understudy.measuring.trials import resampled, undefined
from understudy.measuring.tuning import tune
from understudy.rng import stream
from understudy.table.evidence import Evidence

__all__ = ["MLA"]

Array = npt.NDArray[Any]
Weights = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class MLA(Measure):
    """Mean relative loss of evaluators that learned from synthetic rows; 0 is as good as real.

    target      the column to predict; the evidence's own if empty
    evaluators  "fast" (linear, tree, forest, mlp: no extra and little time), "all" eight, or one by its name
    trials      parameters tried for each, on real training rows
    rows        of larger tables so many rows are drawn
    repeats     trainings with other seeds
    draws       of test rows, for the interval
    nulls       halvings of the real training rows, whose mean loss is the null

    The paper's form: MLA(evaluators="all", trials=50, rows=1_000_000) with 100 trials for the boosters and
    the transformer; hours on a processor. It searches by TPE, this by independent draws.

    The grade is the weighted F1 of classes, and the RMSE of a quantity's normal scores. Parts: grades and
    loss of each evaluator, `absolute` (the paper's code), `eq9` (as printed), `coverage` (share of the eight
    that have a loss), `sd_evaluation` (test rows drawn again, trainings kept) and `sd_training` (between
    repeats). The interval holds both. The null judges one half of the real training rows against the other.

    >>> import pyarrow as pa
    >>> real = pa.table({"x": [0.1, 0.2, 0.8, 0.9] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> swapped = pa.table({"x": [0.9, 0.8, 0.2, 0.1] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> evidence = Evidence(train=real, synthetic=swapped, holdout=real.slice(0, 40))
    >>> MLA(evaluators="tree")(evidence).value
    1.0
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"

    target: str = check.text("")
    evaluators: str = check.choice("fast", "fast", "all", *(each.name for each in EVALUATORS))
    trials: int = check.integer(5, low=1, high=100_000)
    rows: int = check.integer(10_000, low=10, high=1_000_000_000)
    repeats: int = check.integer(1, low=1, high=1_000)
    draws: int = check.integer(100, low=10, high=100_000)
    nulls: int = check.integer(3, low=1, high=1_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Tune, train and try every evaluator that can be had."""
        # One number names all draws: what is tuned is then found again by it, whatever else is measured.
        root = int(rng.integers(2**62))
        try:
            task = Task.of(
                evidence, stream(root, "rows"), target=self.target, rows=self.rows, scaling="normal"
            )
        except TooFewRows as why:
            return undefined(str(why))
        if not task.encoder.labels:
            return undefined("no other column to predict the target from", len(task.test), task.notes)
        chosen, skipped = self._chosen()
        params = {each.name: self._tuned(evidence, task, each, root) for each in chosen}
        trial = _Trial.of(task, chosen, params, [stream(root, f"training {i}") for i in range(self.repeats)])
        halved = [task.of_real(stream(root, f"halves {i}")) for i in range(self.nulls)]
        nulls = [_Trial.of(each, chosen, params, [stream(root, "null")]) for each in halved]
        noise = resampled(trial.value, len(task.test), self.draws, stream(root, "test rows"))
        score, (low, high) = _scored(trial, noise)
        notes = (*halved[0].notes, *skipped, *_said_of_labels(task))
        if math.isnan(score.value):
            notes = ("undefined: no evaluator has a grade above 0 after real rows to compare with", *notes)
        null = _mean([each.value(each.whole) for each in nulls])
        return Finding(score, low, high, null, len(task.test), notes)

    def _chosen(self) -> tuple[list[Evaluator], list[str]]:
        """Return the evaluators to use, and why others are not used; one that was named must be there."""
        names = {"fast": FAST, "all": tuple(each.name for each in EVALUATORS)}.get(
            self.evaluators, (self.evaluators,)
        )
        wanted = [each for each in EVALUATORS if each.name in names]
        absent = [each for each in wanted if each.missing]
        if absent and self.evaluators != "all":
            raise MissingExtra(f"MLA: {absent[0].missing}")
        notes = [f"skipped {each.missing}" for each in absent]
        if others := [each.name for each in EVALUATORS if each.name not in names]:
            notes.append(f"not among evaluators={self.evaluators!r}: {', '.join(others)}")
        return [each for each in wanted if each not in absent], notes

    def _tuned(self, evidence: Evidence, task: Task, evaluator: Evaluator, root: int) -> Params:
        key = ("mla", root, evaluator.name, task.target.name, self.rows, self.trials)
        rng = stream(root, "tuning", evaluator.name)
        return evidence.cached(key, lambda: tune(evaluator, Lesson.of(task, task.train), self.trials, rng))


@final
@dataclass(frozen=True, eq=False)
class _Trial:
    """What the evaluators of every repeat guessed for the test rows, after real and after synthetic rows."""

    truth: Array
    regression: bool
    guesses: dict[str, list[tuple[Array, Array]]]

    @classmethod
    def of(
        cls, task: Task, chosen: list[Evaluator], params: dict[str, Params], rngs: list[np.random.Generator]
    ) -> _Trial:
        """Train; both tables get the same seed, so that a copy of the real rows gives the same model."""
        real, synthetic, test = (Lesson.of(task, each) for each in (task.train, task.synthetic, task.test))
        guesses: dict[str, list[tuple[Array, Array]]] = {each.name: [] for each in chosen}
        for rng in rngs:
            # Every evaluator has its seed, used or not, so that one by itself is what it is among others.
            seeds = dict(
                zip(
                    (each.name for each in EVALUATORS),
                    rng.integers(2**31 - 1, size=len(EVALUATORS)),
                    strict=True,
                )
            )
            for each in chosen:
                one, other = (
                    learn(each, params[each.name], lesson, int(seeds[each.name])).guess(test)
                    for lesson in (real, synthetic)
                )
                guesses[each.name].append((one, other))
        return cls(test.labels, task.is_regression, guesses)

    @property
    def whole(self) -> Weights:
        """Every test row once."""
        return np.ones(len(self.truth))

    def grades(self, name: str, weights: Weights) -> list[tuple[float, float]]:
        """Return the grades of an evaluator after real and after synthetic rows, for each repeat."""
        return [
            (self._grade(real, weights), self._grade(synthetic, weights))
            for real, synthetic in self.guesses[name]
        ]

    def losses(self, weights: Weights) -> npt.NDArray[np.float64]:
        """Return all losses: (evaluators, repeats)."""
        return np.array(
            [
                [relative_loss(*pair, regression=self.regression) for pair in self.grades(name, weights)]
                for name in self.guesses
            ]
        )

    def value(self, weights: Weights) -> float:
        """Return the mean loss of the evaluators that have one."""
        return _mean(self.losses(weights))

    def _grade(self, guess: Array, weights: Weights) -> float:
        return grade(self.truth, guess, weights, regression=self.regression)


def _scored(trial: _Trial, noise: list[float]) -> tuple[Score, Interval]:
    losses = trial.losses(trial.whole)
    parts: dict[str, float] = {}
    printed = []
    for place, name in enumerate(trial.guesses):
        pairs = trial.grades(name, trial.whole)
        parts[f"{name}_real"], parts[f"{name}_synthetic"] = (
            _mean(column) for column in zip(*pairs, strict=True)
        )
        parts[f"{name}_loss"] = _mean(losses[place])
        printed.append([printed_loss(*pair) for pair in pairs])
    parts |= {f"{each.name}_loss": math.nan for each in EVALUATORS if each.name not in trial.guesses}
    known = [not math.isnan(parts[f"{each.name}_loss"]) for each in EVALUATORS]
    parts |= {"absolute": _mean(np.abs(losses)), "eq9": _mean(printed), "coverage": float(np.mean(known))}
    value, trainings = _mean(losses), [_mean(column) for column in losses.T]
    parts["sd_evaluation"], parts["sd_training"] = _deviation(noise), _deviation(trainings)
    square = parts["sd_evaluation"] ** 2
    if len(trainings) > 1:
        square += parts["sd_training"] ** 2 / len(trainings)
    reach = float(special.ndtri(0.975)) * math.sqrt(square)
    return Score(value, parts), (value - reach, value + reach)


def _said_of_labels(task: Task) -> list[str]:
    """Say where there is nothing to learn: a constant prediction is scored then."""
    tables = {"train": task.train, "synthetic": task.synthetic}
    return [
        f"all {role} rows have the same {task.target.name!r}: a constant prediction is scored"
        for role, table in tables.items()
        if len(np.unique(task.labels(table))) == 1
    ]


def _mean(values: Any) -> float:
    """Return the mean of those that are defined; NaN if none is."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else math.nan


def _deviation(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
