"""What a recipe learns: something that draws columns and can be written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Conditions
from understudy.errors import InputError
from understudy.privacy import Entry
from understudy.table.schema import Schema

__all__ = ["DENSE", "IMPUTING", "Charge", "Columns", "Sampler", "State"]

# The methods whose samplers can fill missing cells: networks on a matrix, and forests.
IMPUTING: Final = (
    "tabddpm",
    "tldm",
    "findiff",
    "tabsyn",
    "tablediffusion",
    "tabdiff",
    "tvae",
    "nflow",
    "ctgan",
    "copulagan",
    "adsgan",
    "pategan",
    "arf",
)

# The methods whose samplers know the density of a row exactly.
DENSE: Final = ("arf", "nflow")

Columns = dict[str, npt.NDArray[Any]]
State = tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]


class Sampler(ABC):
    """The learned part of a model. `conditional` says whether `draw` can honour conditions itself.

    `rows` is about how many rows it was learned from, if that was bought and so may be told.
    """

    conditional: ClassVar[bool]
    rows: int | None = None

    @abstractmethod
    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw so many rows; conditions are empty unless the sampler is `conditional`."""

    def impute(self, columns: Columns, rng: np.random.Generator) -> Columns:
        """Return the columns with every missing cell drawn, given the cells of its row that are there."""
        raise InputError(
            f"impute: what this method learned fills no single cells; fit one of {', '.join(IMPUTING)}."
        )

    def log_density(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return the exact log-density of every row, where the method has one; `density` says of what."""
        raise InputError(
            f"log_density: what this method learned has no exact density; fit one of {', '.join(DENSE)}."
        )

    def charge(self, rows: int) -> Charge | None:
        """Return what drawing so many rows costs; None, as for almost every sampler, if it is free.

        Drawing is free when what was learned may be told: then rows are post-processing. A sampler that
        holds secrets and protects them by the draw alone charges here, and never draws with a seed.
        """
        return None

    def spent(self) -> Self:
        """Return the sampler with all that was paid for ahead taken as drawn; itself where draws are free."""
        return self

    def avoiding(self, schema: Schema) -> Sampler:
        """Return a sampler of fewer rows that break a rule of the schema, where that is cheap; else itself.

        Rows that still break one are drawn again or mended, whoever drew them (`obeying`).
        """
        return self

    @abstractmethod
    def state(self) -> State:
        """Return tensors and plain JSON facts that `restore` turns back into an equal sampler."""

    @classmethod
    @abstractmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down."""


@final
@dataclass(frozen=True)
class Charge:
    """The price of a draw: an entry unless it was paid for before, and the sampler that remembers it."""

    entry: Entry | None
    after: Sampler
