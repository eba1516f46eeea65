"""What a peer sent is read behind this: whatever reading it fails with is a refusal, in words without a cell.

A peer may send anything, and there is no end to the ways in which libraries fail on that. Only reading goes
through here: where rows take part, an error that nobody expected must not be told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from understudy.errors import InputError, UnderstudyError

__all__ = ["read_or_refuse"]

Found = TypeVar("Found")


def read_or_refuse(what: str, read: Callable[[], Found]) -> Found:
    """Return what `read` makes of a peer's bytes, or refuse them.

    >>> read_or_refuse("terms", lambda: [][0])
    Traceback (most recent call last):
    understudy.errors.InputError: terms: what came cannot be read (IndexError); send it as this version does.
    """
    try:
        return read()
    except UnderstudyError:
        raise
    except Exception as error:  # noqa: BLE001 - forged bytes make libraries fail, each with errors of its own
        raise InputError(
            f"{what[:32]}: what came cannot be read ({type(error).__name__}); send it as this version does."
        ) from None
