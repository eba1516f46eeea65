"""Search spaces as data: which values a parameter may take, and how one is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

__all__ = ["OneOf", "Params", "Space", "Span", "draw", "start"]

Value = float | int | str | bool
Params = dict[str, Value]


@final
@dataclass(frozen=True)
class Span:
    """A number from low to high, drawn evenly or evenly in its logarithm; `start` is tried first."""

    low: float
    high: float
    start: float
    log: bool = False
    whole: bool = False

    def draw(self, rng: np.random.Generator) -> Value:
        """Return a number of this span."""
        if self.whole:
            return int(rng.integers(int(self.low), int(self.high) + 1))
        if self.log:
            return math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return float(rng.uniform(self.low, self.high))


@final
@dataclass(frozen=True)
class OneOf:
    """One of a few values, each as likely; the first is tried first."""

    options: tuple[Value, ...]

    @property
    def start(self) -> Value:
        """The first option."""
        return self.options[0]

    def draw(self, rng: np.random.Generator) -> Value:
        """Return one of the options."""
        return self.options[int(rng.integers(len(self.options)))]


Space = Mapping[str, Span | OneOf]


def draw(space: Space, rng: np.random.Generator) -> Params:
    """Return a value for every parameter of a space.

    >>> draw({"depth": Span(3, 3, 3, whole=True), "kernel": OneOf(("rbf",))}, np.random.default_rng(0))
    {'depth': 3, 'kernel': 'rbf'}
    """
    return {name: law.draw(rng) for name, law in space.items()}


def start(space: Space) -> Params:
    """Return the point of a space that is tried first.

    >>> start({"depth": Span(3, 9, start=6, whole=True), "kernel": OneOf(("rbf", "linear"))})
    {'depth': 6, 'kernel': 'rbf'}
    """
    return {name: law.start for name, law in space.items()}
