"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from understudy.errors import WriteError

__all__ = ["replacing", "write_bytes"]


@contextmanager
def replacing(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of `path` only if the block ends well.

    The bytes go to a hidden neighbour, are synced, and the neighbour is renamed over the
    target, so a crash leaves the old file or the new one, never a mixture. A file that is
    replaced keeps its permissions: a private one does not become readable for all.
    """
    target = Path(path)
    # A short name of its own: a neighbour of a name of the greatest length must have a name too.
    temporary = target.parent / f".{secrets.token_hex(8)}.part"
    try:
        permissions = _permissions(target, mode)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, permissions)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise WriteError(f"cannot write {str(target)!r} ({error.strerror or error}).") from None
    finally:
        with suppress(OSError):  # it was renamed, or could not even be made; the error above says which
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, mode: int = 0o644) -> Path:
    """Write `content` to `path`, whole or not at all."""
    with replacing(path, mode) as file:
        file.write(content)
    return path


def _permissions(target: Path, mode: int) -> int:
    """Return the permissions that the new file gets; refuse a target that a rename must not replace."""
    if not target.name or "\0" in str(target):
        raise WriteError(f"cannot write {str(target)!r} (this is not the name of a file).")
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        return mode
    if not stat.S_ISREG(found):
        # Renaming over /dev/null would, for a user who may, replace the device for the whole machine.
        raise WriteError(f"cannot write {str(target)!r} (it is a folder or a device; name a file).")
    return stat.S_IMODE(found)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut; where folders cannot be opened there is no way to."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
