"""What a caller gave as the name of a file or a folder, checked before anything is done with it."""

from __future__ import annotations

import os
from pathlib import Path

from understudy.errors import InputError

__all__ = ["as_path"]


def as_path(given: object, who: str, refusal: type[InputError] = InputError) -> Path:
    """Return a path, or refuse what cannot be one with an error of the caller's kind.

    >>> as_path("people.csv", "read").name
    'people.csv'
    """
    if not isinstance(given, str | os.PathLike):
        raise refusal(f"{who}: expected a path as text or a Path; got {type(given).__name__}.")
    named = os.fspath(given)
    if not isinstance(named, str):
        raise refusal(f"{who}: expected a path as text or a Path; got {type(named).__name__}.")
    if "\0" in named:
        raise refusal(f"{who}: expected the name of a file or a folder; got one with a NUL in it.")
    return Path(named)
