"""Under which circumstances an audit was made: versions, hardware, the moment; and what it cannot say."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

__all__ = ["LIMITS", "hardware", "now", "versions"]

_PACKAGES: tuple[str, ...] = ("understudy", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn")
_PACKAGES += ("dp-accounting", "torch", "xgboost-cpu", "xgboost", "catboost")

LIMITS = (
    "Attacks show what these adversaries found, not what every adversary could find.",
    "Only the certificate speaks of all attackers, and only as far as its status says.",
    "A distance to the nearest record is no protection; where one is reported it is a description.",
    "The scores were computed from real rows without noise: the certificate does not cover them.",
    "Each interval is one of 95 % for its own score; among many, one in twenty misses by chance.",
    "The unit of protection is one row. Somebody who is in several rows is protected less.",
    "What is anonymous today may not stay so: judge again when other tables about the same people appear.",
)


def versions() -> dict[str, str]:
    """Return the versions of what was used and is installed."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def hardware() -> dict[str, str]:
    """Return what kind of machine this is; nothing that names it or its user."""
    return {
        "processor": platform.machine(),
        "cores": str(os.cpu_count() or 1),
        "system": platform.system(),
    }


def now() -> str:
    """Return the moment, in UTC, to the minute."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
