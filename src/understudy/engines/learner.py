"""A network method: it brings networks and losses, and is given a way to train them, private or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from understudy.engines.fields import Fields
from understudy.engines.generator import Generator

if TYPE_CHECKING:
    from understudy.engines.training.fit import Fit

__all__ = ["Learner"]


class Learner(ABC):
    """The settings of a method on matrices. What it learns from rows, it learns through `fit` alone."""

    @property
    @abstractmethod
    def stages(self) -> tuple[str, ...]:
        """The names of the trainings that `learn` asks for, in order: a budget is split among them."""

    @abstractmethod
    def learn(self, fields: Fields, fit: Fit, seed: int) -> Generator:
        """Build the networks, train each by `fit.train`, and return what draws rows."""
