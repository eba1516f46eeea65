"""The command line: parse, call, print. Nothing is decided here that a caller from Python would miss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code: 0 done, 1 failed, 2 bad usage or bad input."""
    import sys

    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        from understudy.cli.run import run

        code = run(given)
    except KeyboardInterrupt:  # while the commands were loaded: none could say so itself
        from understudy.cli.interrupted import interrupted

        code = interrupted(as_json="--json" in given)
    raise SystemExit(code)
