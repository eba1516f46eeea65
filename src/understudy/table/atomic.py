"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from understudy.errors import WriteError

__all__ = ["replacing", "write_bytes"]


@contextmanager
def replacing(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of `path` only if the block ends well.

    The bytes go to a hidden neighbour, are synced, and the neighbour is renamed over the
    target, so a crash leaves the old file or the new one, never a mixture.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise WriteError(f"cannot write {str(target)!r} ({error.strerror or error}).") from None
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes, mode: int = 0o644) -> Path:
    """Write `content` to `path`, whole or not at all."""
    with replacing(path, mode) as file:
        file.write(content)
    return path


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
