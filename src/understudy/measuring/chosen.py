"""Columns, or other things, that a setting names: text, for a setting is what a command line can say."""

from __future__ import annotations

import json
from collections.abc import Sequence

from understudy.errors import ParameterError

__all__ = ["chosen"]


def chosen(
    text: str, names: Sequence[str], who: str, thing: str = "column that can be judged"
) -> tuple[str, ...]:
    """Return the things named by "a,b" or, where a name holds a comma, by a JSON list; none by "".

    >>> chosen("age, sex", ["sex", "age", "pay"], "inference: secret")
    ('age', 'sex')
    >>> chosen('["pay, gross"]', ["age", "pay, gross"], "inference: secret")
    ('pay, gross',)
    """
    wanted = _listed(text, names, who)
    for name in wanted:
        if name not in names:
            raise ParameterError(f"{who}: there is no {thing} called {name!r}.")
        if wanted.count(name) > 1:
            raise ParameterError(f"{who}: {name!r} is named twice.")
    return wanted


def _listed(text: str, names: Sequence[str], who: str) -> tuple[str, ...]:
    if text in names:
        return (text,)
    if not text.startswith("["):
        return tuple(name.strip() for name in text.split(",")) if text.strip() else ()
    try:
        listed = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParameterError(f"{who}: expected names with commas between, or a JSON list of them.") from error
    return tuple(str(name) for name in listed)
