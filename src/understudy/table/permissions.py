"""Permissions of a new file: those of the file it replaces, and never more readers than that had."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["narrow", "take_after"]

GROUP = stat.S_IRWXG


def take_after(fresh: Path, old: os.stat_result) -> None:
    """Give a new file the group and the permissions of an old one."""
    mode = stat.S_IMODE(old.st_mode)
    if fresh.stat().st_gid != old.st_gid:
        try:
            os.chown(fresh, -1, old.st_gid)
        except OSError:  # not a group of ours; then no group may do what that one might
            mode &= ~GROUP
    os.chmod(fresh, mode)


def narrow(fresh: Path, old: os.stat_result) -> None:
    """Take from a new file every permission that an old one did not give."""
    found = fresh.stat()
    mode = stat.S_IMODE(found.st_mode) & stat.S_IMODE(old.st_mode)
    os.chmod(fresh, mode if found.st_gid == old.st_gid else mode & ~GROUP)
