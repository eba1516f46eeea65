"""How a method wants to see a table: its one choice of encoder for numbers and for levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from understudy import check

__all__ = ["Style"]


@final
@dataclass(frozen=True)
class Style:
    """The settings of a codec; every value has a declared range.

    numbers   quantile_normal   ranks, read as a standard normal
              quantile_uniform  ranks, evenly on [-1, 1]
              standard          mean 0 and standard deviation 1
              minmax            the bounds become -1 and 1
              modes             distance from the mode of a Gaussian mixture, and which mode, the way
                                `levels` says
              bins              the number of a bin, written the way `levels` says
    levels    onehot, or codes: one coordinate that holds the number of the level, or of the mode
    missing   indicator: a quantity that can be missing has a 0/1 coordinate beside it;
              at_random: it has none, and decoding makes cells missing at the column's rate.
              Among levels and bins, missing is always one more level
    edges     bins of equal width, or with an equal share of the rows (quantile)
    bins      at most so many bins
    modes     at most so many modes; fewer when fewer explain the column as well
    knots     at most about so many quantiles are kept for a column
    rare      levels with fewer rows than this share one coordinate; 0 keeps every level
    few       a quantity of at most so many distinct values is written like levels; 0: none is
    shared    ... if that leaves so many rows to a value on average, and few values are one row's alone

    >>> Style(numbers="bins", levels="codes").bins
    32
    """

    numbers: str = check.choice(
        "quantile_normal", "quantile_normal", "quantile_uniform", "standard", "minmax", "modes", "bins"
    )
    levels: str = check.choice("onehot", "onehot", "codes")
    missing: str = check.choice("indicator", "indicator", "at_random")
    edges: str = check.choice("width", "width", "quantile")
    bins: int = check.integer(32, low=1, high=1_000_000)
    modes: int = check.integer(10, low=1, high=1_000)
    knots: int = check.integer(1_000, low=2, high=1_000_000)
    rare: int = check.integer(0, low=0, high=1_000_000_000)
    few: int = check.integer(0, low=0, high=1_000_000)
    shared: int = check.integer(100, low=1, high=1_000_000)

    def __post_init__(self) -> None:
        check.validate(self)
