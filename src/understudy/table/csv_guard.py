"""Formula guards: text that a spreadsheet would run gets a leading apostrophe, reversibly.

A cell is guarded if it starts with a trigger after any number of apostrophes; guarding
puts one apostrophe before it. So every guarded cell has at least one, taking one away
undoes exactly one guarding, and no other cell is touched in either direction. A column with
a cell that would run was never guarded, so nothing is taken away from it.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["guard", "guard_name", "unguard", "unguard_name"]

# Full-width forms count too: spreadsheets of East Asian locales run them. So does a line
# feed, which some programs skip before they look for a formula.
TRIGGERS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_GUARD = f"^('*[{TRIGGERS}])"
_UNGUARD = f"^'('*[{TRIGGERS}])"


def guard(cells: pa.Array) -> pa.Array:
    """Put an apostrophe before every text cell that a spreadsheet would run.

    >>> guard(pa.array(["=1+1", "plain", "'=1"])).to_pylist()
    ["'=1+1", 'plain', "''=1"]
    """
    return pc.replace_substring_regex(cells, _GUARD, r"'\1", max_replacements=1)


def unguard(cells: pa.Array) -> pa.Array:
    """Take away the apostrophe that `guard` put there.

    >>> unguard(pa.array(["'=1+1", "plain", "''=1", "'s"])).to_pylist()
    ['=1+1', 'plain', "'=1", "'s"]
    >>> unguard(pa.array(["=1+1", "'=1"])).to_pylist()
    ['=1+1', "'=1"]
    """
    if pc.any(pc.match_substring_regex(cells, f"^[{TRIGGERS}]")).as_py():
        return cells
    return pc.replace_substring_regex(cells, _UNGUARD, r"\1", max_replacements=1)


def guard_name(name: str) -> str:
    """Guard a column name as `guard` does a cell."""
    return re.sub(_GUARD.replace("^", r"\A"), r"'\1", name)


def unguard_name(name: str) -> str:
    """Take away the apostrophe that `guard_name` put there."""
    return re.sub(_UNGUARD.replace("^", r"\A"), r"\1", name)
