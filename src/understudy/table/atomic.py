"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from understudy.errors import WriteError
from understudy.table.permissions import take_after
from understudy.table.staging import hidden_file

__all__ = ["replacing", "sync_folder", "write_bytes"]

PRIVATE = 0o600


@contextmanager
def replacing(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of `path` only if the block ends well.

    The bytes go to a hidden neighbour, are synced, and the neighbour is renamed over the
    target, so a crash leaves the old file or the new one, never a mixture. A file that is
    replaced keeps its permissions: a private one does not become readable for all.
    """
    target = Path(path)
    try:
        old = _replaced(target)
        with hidden_file(target, mode if old is None else PRIVATE) as (place, descriptor):
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                yield file
            if old is not None:
                take_after(place, old)
            os.fsync(descriptor)
            os.replace(place, target)
        sync_folder(target.parent)
    except OSError as error:
        raise WriteError(f"cannot write {str(target)!r} ({error.strerror or error}).") from None


def write_bytes(path: Path, content: bytes, mode: int = 0o644) -> Path:
    """Write `content` to `path`, whole or not at all."""
    with replacing(path, mode) as file:
        file.write(content)
    return path


def _replaced(target: Path) -> os.stat_result | None:
    """Return what is known of the file to be replaced; refuse a target that a rename must not replace."""
    if not target.name or "\0" in str(target):
        raise WriteError(f"cannot write {str(target)!r} (this is not the name of a file).")
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        # Renaming over /dev/null would, for a user who may, replace the device for the whole machine.
        raise WriteError(f"cannot write {str(target)!r} (it is a folder or a device; name a file).")
    return found


def sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut; where folders cannot be opened there is no way to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
