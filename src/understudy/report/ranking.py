"""Candidates by their average rank in each question (as in paper 004, Figure 4).

A rank can be averaged over scores that have nothing else in common. Each score counts once, equal ones
share their places, and a score that one candidate lacks is left out for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from understudy.report.catalogue import known
from understudy.report.dossier import Candidate
from understudy.result import Result

__all__ = ["QUESTIONS", "average_ranks", "common", "first_common"]

QUESTIONS = ("Fidelity", "Utility", "Membership", "Singling out", "Linkability", "Inference")


def common(candidates: Sequence[Candidate]) -> dict[str, tuple[Result, ...]]:
    """Return the measures that every candidate has a figure of, with that of each."""
    tables = [
        {each.name: each for each in candidate.results if not math.isnan(each.value)}
        for candidate in candidates
    ]
    names = [name for name in tables[0] if all(name in table for table in tables)] if tables else []
    return {name: tuple(table[name] for table in tables) for name in names}


def average_ranks(candidates: Sequence[Candidate]) -> dict[str, tuple[float, ...]]:
    """Return each question's average rank of every candidate, 1 for the best."""
    ranks: dict[str, list[list[float]]] = {}
    for name, results in common(candidates).items():
        ranks.setdefault(_question(name), []).append(_ranks(results))
    return {
        question: tuple(np.mean(ranks[question], 0).tolist()) for question in QUESTIONS if question in ranks
    }


def first_common(candidates: Sequence[Candidate], wanted: Sequence[str]) -> tuple[Result, ...]:
    """Return the results of the first of these measures that all candidates have; none if there is none."""
    shared = common(candidates)
    return next((shared[name] for name in wanted if name in shared), ())


def _question(name: str) -> str:
    room = name.partition(".")[0]
    return known(name).question if room == "privacy" else room.capitalize()


def _ranks(results: Sequence[Result]) -> list[float]:
    """Return ranks, the best first; a score whose null is best is ranked by its distance from it."""
    values = {
        "lower": [each.value for each in results],
        "higher": [-each.value for each in results],
        "null": [abs(each.value - each.null) for each in results],
    }[results[0].better]
    return [_place(value, values) for value in values]


def _place(value: float, values: Sequence[float]) -> float:
    """Return the place of a value from the least; equal ones share the mean of theirs."""
    return sum(each < value for each in values) + (sum(each == value for each in values) + 1) / 2
