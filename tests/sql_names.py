"""Two hundred table names that somebody could mean harm with."""

from __future__ import annotations

import random

_PIECES = [
    '"', '""', "'", "''", ";", "--", "/*", "*/", "`", "[", "]", "\\", "%", "%s", "%(a)s", "$1", ":a", "?",
    "&", "=", "+",
    "#", ".", " ", "\t", "\n", "\r", "é", "ß", "日本", "🙂", "\u202e", "\u200b", "\u00a0", "{", "}", "{0}",
    "<", ">",
    "DROP TABLE t", "SELECT", "a", "A", "0", "__proto__", "../x", "=1+1", "@", "|", "~", "^", "(", ")",
]  # fmt: skip
_WHOLE = [
    't"; DROP TABLE t; --', "t'; DROP TABLE t; --", "t; DROP TABLE t", "(SELECT 1)", "t WHERE 1=1", "t, u",
    "public.t",
    "pg_catalog.pg_class", "main.t", "t\x00", '"t"', "[t]", "`t`", "T", "t ", " t", "select", "table",
    "user", "a.b.c",
]  # fmt: skip


def hostile_names() -> list[str]:
    """The same two hundred names every time."""
    rng = random.Random(20_261_115)
    names = dict.fromkeys(name for name in _WHOLE if "\0" not in name)
    while len(names) < 200:
        names["".join(rng.choices(_PIECES, k=rng.randint(1, 6)))[:40]] = None
    return [name for name in names if name.strip()]
