"""The key that a run's noise is drawn with: a file of its own, for the owner only, gone when the run ends.

Each reservation has a key of its own. The ledger knows it by a name that covers the key's bytes and the
number of its file on the disk: a key that was altered, exchanged or copied elsewhere is not that key,
so two copies of a run folder cannot go on with the same noise.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from understudy.errors import WriteError

__all__ = ["ENDING", "destroy", "find", "keep", "sweep"]

ENDING = ".key"
_START = "noise-"


def keep(folder: Path, key: bytes) -> str:
    """Write a key to the disk for good and return the name that the ledger knows it by."""
    place = folder / f"{_START}{hashlib.sha256(key).hexdigest()[:16]}{ENDING}"
    try:
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
            number = os.fstat(file.fileno()).st_ino
        _sync(folder)
    except OSError as error:
        place.unlink(missing_ok=True)
        raise WriteError(
            f"ledger: cannot keep a noise key in {str(folder)!r} ({error.strerror}); nothing is read."
        ) from None
    return _name(key, number)


def find(folder: Path, name: str) -> bytes | None:
    """Return the key of that name, if it is still there and still the one that was kept."""
    place = _place(folder, name)
    try:
        with place.open("rb") as file:
            key, number = file.read(), os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WriteError(
            f"ledger: cannot read the noise key of this run ({error.strerror}); nothing is read."
        ) from None
    return key if _name(key, number) == name else None


def destroy(folder: Path, name: str) -> None:
    """Remove a key: nobody can go on with its noise from here on."""
    try:
        _place(folder, name).unlink(missing_ok=True)
        _sync(folder)
    except OSError as error:
        raise WriteError(f"ledger: cannot remove the noise key ({error.strerror}); remove it.") from None


def sweep(folder: Path, wanted: Iterable[str]) -> None:
    """Remove keys that no reservation waits for: their runs were cut off before they were paid."""
    kept = {_place(folder, name).name for name in wanted}
    for place in folder.glob(f"{_START}*{ENDING}"):
        if place.name not in kept:
            place.unlink(missing_ok=True)


def _name(key: bytes, number: int) -> str:
    # The key is 32 random bytes, so its hash tells nothing about it.
    return f"{hashlib.sha256(key).hexdigest()}:{number}"


def _place(folder: Path, name: str) -> Path:
    return folder / f"{_START}{name[:16]}{ENDING}"


def _sync(folder: Path) -> None:
    """Make the name of the file survive a power cut; where folders cannot be opened there is no way to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
