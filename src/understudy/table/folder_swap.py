"""A new folder in the place of an old one: at every moment one of the two is there.

No rename puts a folder over one that is not empty. Linux can exchange two names in one step. Elsewhere the
old folder stands aside under a hidden name; if the process dies between the two steps, the next one that
looks for the folder brings the old one back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

from understudy.table.atomic import sync_folder
from understudy.table.staging import abandoned, hidden_name, lock, neighbours, remove, sweep

__all__ = ["put_in_place", "recover"]

OLD = ".old"
AT_FDCWD = -100
RENAME_EXCHANGE = 2
_NOT_HERE = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}


def put_in_place(fresh: Path, target: Path) -> None:
    """Give `fresh` the name `target`; the old folder is gone or, after an exchange, has the name `fresh`."""
    if not os.path.lexists(target):
        os.rename(fresh, target)
    elif not _exchange(fresh, target):
        _stand_aside(fresh, target)
    sync_folder(target.parent)


def recover(target: Path) -> None:
    """Bring back a folder that stood aside for one that never came; remove one whose successor is there."""
    if os.path.lexists(target):
        sweep(target, OLD)
        return
    for old in neighbours(target, OLD):
        with abandoned(old) as free:
            if free and not os.path.lexists(target):
                os.rename(old, target)
                sync_folder(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Let two names change places in one step; False where the system cannot."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if sys.platform == "linux" else None
    if call is None:
        return False
    if call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    reason = ctypes.get_errno()
    if reason in _NOT_HERE:
        return False
    raise OSError(reason, os.strerror(reason))


def _stand_aside(fresh: Path, target: Path) -> None:
    old = hidden_name(target, OLD)
    held = os.open(target, os.O_RDONLY)
    try:
        lock(held)  # so that nobody brings it back while this process is at work
        os.rename(target, old)
        try:
            os.rename(fresh, target)
        except BaseException:
            os.rename(old, target)
            raise
        remove(old)
    finally:
        os.close(held)
