"""A number and what it counts, as a person would say it: 1 row, 2,000 rows."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """Return the number with its noun, in the plural for all numbers but one.

    >>> counted(1, "row"), counted(2_000, "row"), counted(0, "column")
    ('1 row', '2,000 rows', '0 columns')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
