"""Hidden neighbours in which new files are made, and what a killed process left of them.

A neighbour is locked for as long as its process lives; the system takes the lock away even from a process
that was killed. So the next write to the same target can tell a leftover from the work of somebody else,
whatever container or machine that somebody runs in, and takes only leftovers away.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = [
    "abandoned",
    "hidden_file",
    "hidden_folder",
    "hidden_name",
    "lock",
    "neighbours",
    "remove",
    "sweep",
]

PART = ".part"


@contextmanager
def hidden_file(target: Path, mode: int) -> Iterator[tuple[Path, int]]:
    """Yield a new file beside `target` and its descriptor; at the end the hidden name is gone."""
    with _claimed(target, lambda place: _new_file(place, mode)) as (place, descriptor):
        yield place, descriptor


@contextmanager
def hidden_folder(target: Path, mode: int = 0o700) -> Iterator[Path]:
    """Yield a new folder beside `target`; at the end whatever has its hidden name is gone."""
    with _claimed(target, lambda place: _new_folder(place, mode)) as (place, _):
        yield place


def hidden_name(target: Path, ending: str = PART) -> Path:
    """Return a fresh hidden name beside `target`, short however long the name of the target is."""
    return target.parent / f"{_start(target)}{secrets.token_hex(6)}{ending}"


def neighbours(target: Path, ending: str = PART) -> list[Path]:
    """Return the hidden names beside `target` that stand for it."""
    try:
        names = os.listdir(target.parent)
    except OSError:  # whoever writes there next is told what is wrong with the folder
        return []
    found = sorted(name for name in names if name.startswith(_start(target)) and name.endswith(ending))
    return [target.parent / name for name in found]


def sweep(target: Path, ending: str = PART) -> None:
    """Take away what dead processes left beside `target`."""
    for left in neighbours(target, ending):
        with abandoned(left) as free:
            if free:
                remove(left)


@contextmanager
def abandoned(left: Path) -> Iterator[bool]:
    """Say whether no living process holds a neighbour; if so, hold it inside the block."""
    try:
        descriptor = os.open(left, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:  # it is gone, or it is not ours to touch
        yield False
        return
    try:
        yield lock(descriptor) is True
    finally:
        os.close(descriptor)


def remove(left: Path) -> None:
    """Remove a file or a folder as far as the system allows; what stays is tried again at the next write."""
    with suppress(OSError):
        if not left.is_dir() or left.is_symlink():
            left.unlink(missing_ok=True)
            return
        left.chmod(0o700)  # nothing can be taken out of a folder that was made read-only
    shutil.rmtree(left, ignore_errors=True)


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder; False if another holds it, None where there are no such locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks; then nothing on it is ever taken for abandoned
        return None
    return True


@contextmanager
def _claimed(target: Path, make: Callable[[Path], int | None]) -> Iterator[tuple[Path, int]]:
    sweep(target)
    place, descriptor = _make(target, make)
    try:
        yield place, descriptor
    finally:
        remove(place)
        os.close(descriptor)


def _make(target: Path, make: Callable[[Path], int | None]) -> tuple[Path, int]:
    while True:
        place = hidden_name(target)
        descriptor = make(place)
        if descriptor is None:
            continue
        # Between making and locking, a sweep may have taken it for a leftover; then another is made.
        if lock(descriptor) is not False and _is_at(place, descriptor):
            return place, descriptor
        os.close(descriptor)


def _is_at(place: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(place), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _new_file(place: Path, mode: int) -> int:
    return os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def _new_folder(place: Path, mode: int) -> int | None:
    os.mkdir(place, mode)
    try:
        return os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        return None


def _start(target: Path) -> str:
    return f".{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}."
