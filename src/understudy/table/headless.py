"""Column names that look like cells: a CSV file without a header line gives its first row for its names.

Names are taken to be public, with every price and within every budget. So a first row that was taken for
names is published, and no certificate says so. Only the names are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["like_cells"]

_NUMBER = r"[-+]?(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)(?:[eE][-+]?[0-9]+)? ?%?"
_DATE = r"(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4})"
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?(?:Z|[-+][0-9]{2}:?[0-9]{2}))?"
_CELL = re.compile(f"{_NUMBER}|{_DATE}(?:[T ]{_TIME})?|{_TIME}")


def like_cells(names: Sequence[str]) -> int:
    """Return how many names are numbers or dates, if at least half of two or more are; else 0.

    >>> like_cells(["P0001", "34", "1984-05-31"]), like_cells(["year", "2019", "2020"]), like_cells(["7"])
    (2, 2, 0)
    """
    found = sum(bool(_CELL.fullmatch(name.strip())) for name in names)
    return found if len(names) >= 2 and 2 * found >= len(names) else 0
