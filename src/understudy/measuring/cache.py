"""One cache for all processes that judge the same tables: a thing is made once and found by everybody.

It is a folder of shelves, one for each key. Whoever needs a thing that is not there locks its name, makes it
and puts it up; the others wait, and then map it into their memory. The system takes the lock away even from
a process that was killed, so nobody waits for the dead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, final

from understudy.measuring import shelf

if sys.platform != "win32":
    import fcntl

__all__ = ["SharedCache"]

_T = TypeVar("_T")
_PLAIN = (str, bool, int, float, type(None))


@final
class SharedCache:
    """Things by key, in a private folder; what has no form on a shelf stays with this process.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     one, other = SharedCache(Path(place)), SharedCache(Path(place))
    ...     one.find(("total",), lambda: 41), other.find(("total",), lambda: 42)
    (41, 41)
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[Any, Any] = {}

    def find(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what any process made under this key before, or make it now."""
        if key not in self._held:
            self._held[key] = self._shared(key, make) if _is_plain(key) else make()
        found: _T = self._held[key]
        return found

    def _shared(self, key: object, make: Callable[[], _T]) -> Any:
        place = self._folder / hashlib.sha256(repr(key).encode()).hexdigest()
        with _locked(place.with_suffix(".lock")):
            if place.is_dir():
                return shelf.read(place)
            value = make()
            return shelf.read(place) if _put_up(value, place) else value


def _put_up(value: object, place: Path) -> bool:
    """Put a value on its shelf, whole or not at all; say whether it is there now."""
    new = place.with_suffix(f".{os.getpid()}")
    try:
        new.mkdir(mode=0o700)
        shelf.write(value, new)
        new.rename(place)
    except (shelf.Unshareable, OSError):  # it has no form on a shelf, or there is no room left for it
        return place.is_dir()
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return True


def _is_plain(key: object) -> bool:
    """Say whether every process writes this key the same way: plain values, and tuples of such."""
    if type(key) is tuple:
        return all(_is_plain(part) for part in key)
    return type(key) in _PLAIN


@contextmanager
def _locked(name: Path) -> Iterator[None]:
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform != "win32":  # without locks a thing may be made twice, which costs time only
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
