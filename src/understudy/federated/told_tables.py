"""Tables of counts as a site sends them, and what no honest site would send.

Guarantee of the checks: an honest site is refused with a chance below 1e-9 for each answer. Its counts are
numbers of rows with discrete Gaussian noise, whose tails are no heavier than those of a Gaussian of the same
deviation (Canonne, Kamath, Steinke 2020). So with m things that are looked at, all are within
sqrt(2 ln(2 m / 1e-9)) deviations but for that chance; 7 deviations for 15 cells, 8 for 40,000. A number of
rows that a site declares may be rounded by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import InputError
from understudy.federated.message import Message

__all__ = ["Expected", "read_tables"]

CHANCE = 1e-9  # that an honest site is refused
ROUNDED = 0.1  # of the rows that a site declares: its word for how many there are


@final
@dataclass(frozen=True)
class Expected:
    """What the counts of one site must agree with: the rows it told, and the deviations of noise.

    `sigma` is that of a cell, `doubt` that of the number of rows; both are 0 in the open.
    """

    rows: float
    sigma: float
    doubt: float


def read_tables(
    answer: Message, shapes: Sequence[tuple[int, ...]], expected: Expected
) -> list[npt.NDArray[np.float64]]:
    """Return the tables of an answer; refuse what was not asked for, and counts that cannot be."""
    found = [_read(answer, str(place), shape) for place, shape in enumerate(shapes)]
    if len(answer.arrays) != len(shapes):
        raise InputError("tables: a site must send as many as were asked for.")
    many = sum(table.size for table in found) + len(found) + 1
    far = math.sqrt(2 * math.log(2 * many / CHANCE))
    for table in found:
        _refuse_odd_counts(table, expected, far)
    return found


def _read(answer: Message, name: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    table = answer.arrays.get(name)
    if table is None or table.dtype != np.float64 or table.shape != shape or not np.isfinite(table).all():
        raise InputError("tables: they must be finite counts of the cells that were asked for.")
    return table


def _refuse_odd_counts(table: npt.NDArray[np.float64], expected: Expected, far: float) -> None:
    if table.size and table.min() < -far * expected.sigma:
        raise InputError(f"tables: a count is more than {far:.1f} deviations of its noise below 0.")
    noise = far * (expected.sigma * math.sqrt(table.size) + expected.doubt)
    with np.errstate(over="ignore"):  # a sum that is no number any more is too far from any
        apart = abs(float(table.sum()) - expected.rows)
    if not apart <= ROUNDED * expected.rows + noise:
        raise InputError(
            f"tables: their sum must be the number of rows that the site told, within {far:.1f} deviations "
            "of the noise and a tenth."
        )
