"""How long each evaluator of machine learning affinity takes on Adult: one fit and its predictions.

    python benchmarks/mla_speed.py [rows ...]

Each learns from the first `rows` training rows, at the starting point of its search space, and predicts as
many rows of the last part of the table; one thread. Then the whole measure at its defaults, on 32,561
training rows against a permutation of every column on its own (no relation left). Seconds are those of the
processor, which other work on the machine lengthens less than those of the clock.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np
import setting

import understudy as us
from understudy.measuring.affinity import grade
from understudy.measuring.evaluators import EVALUATORS
from understudy.measuring.learner import learn
from understudy.measuring.lesson import Lesson
from understudy.measuring.search import start
from understudy.measuring.task import Task
from understudy.metrics.mla import MLA
from understudy.table.evidence import Evidence

TRAIN = 32_561


def main() -> None:
    """Print the time and the weighted F1 of every evaluator, and of the measure."""
    table = us.read(setting.dataset("adult")).to_arrow()
    train, holdout = table.slice(0, TRAIN), table.slice(TRAIN)
    rng = np.random.default_rng(0)
    shuffled = {name: train[name].take(rng.permutation(TRAIN)) for name in train.schema.names}
    evidence = Evidence(train=train, holdout=holdout, synthetic=type(train).from_pydict(shuffled))
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")
    for rows in [int(word) for word in sys.argv[1:]] or [5_000]:
        task = Task.of(evidence, np.random.default_rng(0), rows=rows, scaling="normal")
        print(f"\n{rows:,} rows, one fit and {len(task.test):,} predictions")
        learned, tried = Lesson.of(task, task.train), Lesson.of(task, task.test)
        for evaluator in EVALUATORS:
            one(evaluator, learned, tried)
    begun = time.process_time()
    found = MLA()(evidence)
    seconds = time.process_time() - begun
    print(f"\nthe measure at its defaults: {found.value:.4f} in {seconds:.1f} s (wanted: under 90 s)")


def one(evaluator, learned: Lesson, tried: Lesson) -> None:
    """Print the time of one evaluator."""
    if evaluator.missing:
        print(evaluator.missing)
        return
    begun = time.process_time()
    guess = learn(evaluator, start(evaluator.space(regression=False)), learned, 0).guess(tried)
    seconds = time.process_time() - begun
    score = grade(tried.labels, guess, np.ones(len(tried)), regression=False)
    print(f"  {evaluator.name:<16} {seconds:8.2f} s   weighted F1 {score:.4f}", flush=True)


if __name__ == "__main__":
    main()
