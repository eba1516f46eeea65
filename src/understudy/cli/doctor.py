"""understudy doctor: what is installed here, what is not, and the line that would change that."""

from __future__ import annotations

from typing import Any

import typer

from understudy.cli import machine, options, screen
from understudy.version import VERSION

__all__ = ["doctor"]


def doctor(*, as_json: options.AsJson = False) -> None:
    """Show versions, devices, and which extras are missing.

    The exit code is 1 if a package of the core is not there.
    """
    packages, extras = machine.core_packages(), machine.extras()
    if as_json:
        screen.show_json(_tree(packages, extras))
    else:
        _show(packages, extras)
    raise typer.Exit(1 if None in packages.values() else 0)


def _show(packages: dict[str, str | None], extras: list[machine.Extra]) -> None:
    screen.show_facts(
        [
            ("understudy", VERSION),
            ("python", machine.python()),
            ("cores", str(machine.cores())),
            ("memory", f"{machine.memory() / 2**30:.1f} GiB"),
            ("gpu", machine.gpu()),
        ]
    )
    print()
    screen.show_table(
        ("package", "version"), [(n, v or "missing: pip install understudy") for n, v in packages.items()]
    )
    print()
    screen.show_table(("extra", "brings", "state"), [(e.name, e.brings(), e.state()) for e in extras])


def _tree(packages: dict[str, str | None], extras: list[machine.Extra]) -> dict[str, Any]:
    return {
        "understudy": VERSION,
        "python": machine.python(),
        "cores": machine.cores(),
        "memory_bytes": machine.memory(),
        "gpu": machine.gpu(),
        "packages": packages,
        "extras": [
            {"name": e.name, "packages": e.packages, "installed": e.complete(), "install": e.line()}
            for e in extras
        ],
    }
