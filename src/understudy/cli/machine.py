"""What this machine is and what is installed on it, asked without importing any of it."""

from __future__ import annotations

import importlib
import os
import platform
import re
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import final

__all__ = ["Extra", "core_packages", "cores", "extras", "gpu", "memory", "python"]

_NOT_FOR_USERS = {"all", "test", "check"}
_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@final
@dataclass(frozen=True)
class Extra:
    """An optional set of packages, and the version of each one that is installed."""

    name: str
    packages: dict[str, str | None]

    def complete(self) -> bool:
        """Say whether every package of it is there."""
        return None not in self.packages.values()

    def line(self) -> str:
        """Return the line that installs it."""
        return f"pip install 'understudy[{self.name}]'"

    def brings(self) -> str:
        """Return its packages, with versions where there are any."""
        return ", ".join(f"{name} {version}" if version else name for name, version in self.packages.items())

    def state(self) -> str:
        """Return "installed", or the line that installs it."""
        return "installed" if self.complete() else self.line()


def core_packages() -> dict[str, str | None]:
    """Return the version of every package that understudy always needs; None where one is missing."""
    return {name: _version(name) for name, extra in _needs() if extra is None}


def extras() -> list[Extra]:
    """Return the extras that a user may want."""
    groups: dict[str, dict[str, str | None]] = {}
    for name, extra in _needs():
        if extra is not None and extra not in _NOT_FOR_USERS:
            groups.setdefault(extra, {})[name] = _version(name)
    return [Extra(name, packages) for name, packages in sorted(groups.items())]


def python() -> str:
    """Return the Python that runs, and the system it runs on."""
    return f"{platform.python_version()} ({platform.system()}, {platform.machine()})"


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int:
    """Return how many bytes of memory this process may use: the machine's, or a container's limit."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _LIMITS:
        text = path.read_text(encoding="ascii").strip() if path.is_file() else ""
        limits += [int(text)] if text.isdigit() else []
    return min(limits)


def gpu() -> str:
    """Return the name of the GPU; or why there is none to be used."""
    if util.find_spec("torch") is None:
        return "not looked for: torch is not installed"
    # By name: this room works without torch, and only asks what is there.
    try:
        torch = importlib.import_module("torch")
    except (ImportError, OSError) as error:
        return f"not looked for: torch is installed but does not load ({type(error).__name__})"
    if torch.cuda.is_available():
        return str(torch.cuda.get_device_name(0))
    return "none that torch can use"


def _needs() -> list[tuple[str, str | None]]:
    """Return (package, extra) for everything that understudy names in its own metadata."""
    lines = metadata.requires("understudy") or []
    extras_of = [_EXTRA.search(line) for line in lines]
    return [
        (_NAME.findall(line)[0], found[1] if found else None)
        for line, found in zip(lines, extras_of, strict=True)
    ]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
