"""One command from its words to its exit code; every way to fail ends in one line and no traceback."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from typer import core

from understudy.cli import screen
from understudy.cli.app import app
from understudy.cli.interrupted import INTERRUPTED, interrupted
from understudy.cli.outlet import Outlet, outlets
from understudy.errors import UnderstudyError

__all__ = ["run"]

DEBUG = "UNDERSTUDY_DEBUG"
UNEXPECTED = "Unexpected"
# typer brings its own click since 0.20 and used the package before; this is the class of either.
_Usage: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    _spell_out_what_the_terminal_cannot_show()
    with outlets() as (out, err):
        code = _left(out, _called(arguments))
        err.flush()
        err.drop()
    return code


def _called(arguments: list[str]) -> int:
    """Run the command, say why it failed if it did, and return its exit code."""
    as_json = "--json" in arguments
    try:
        with _plain_help():
            code = app(arguments, prog_name="understudy", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        kind, message, code = _explained(error)
        if kind == UNEXPECTED and os.environ.get(DEBUG) == "1":
            raise
        _say(kind, message, code, as_json=as_json)
        return code
    if code == INTERRUPTED:
        interrupted(as_json=as_json)
    return code if isinstance(code, int) else 0


@contextmanager
def _plain_help() -> Iterator[None]:
    """Keep typer from rich: where that is installed, typer escapes brackets for it in plain help too."""
    before = core.HAS_RICH
    core.HAS_RICH = False
    try:
        yield
    finally:
        core.HAS_RICH = before


def _explained(error: Exception) -> tuple[str, str, int]:
    """Return the kind of an error, its one line, and the exit code."""
    if isinstance(error, UnderstudyError):
        return type(error).__name__, str(error), error.exit_code
    if isinstance(error, _Usage):
        return "UsageError", _usage(error), 2
    if isinstance(error, OSError):
        return type(error).__name__, f"the system refused: {error.strerror or 'no reason given'}.", 1
    if isinstance(error, MemoryError):
        return "MemoryError", "not enough memory; ask for fewer rows, or give a smaller table.", 1
    return UNEXPECTED, _unexpected(error), 1


def _say(kind: str, message: str, code: int, *, as_json: bool) -> None:
    if as_json:
        screen.show_json({"error": {"type": kind, "message": message, "exit_code": code}})
    else:
        print(f"error: {screen.escaped(message)}", file=sys.stderr)


def _usage(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "understudy"
    message: str = error.format_message()  # type: ignore[attr-defined]  # only typer's own come here
    return f"{' '.join(message.split()).rstrip('.')}; see {command} --help."


def _unexpected(error: Exception) -> str:
    # The text of a foreign error can quote cells; its kind and its place cannot.
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return (
        f"{type(error).__name__} in {where}: this is a fault of understudy, not yours. "
        f"{DEBUG}=1 shows the traceback, which may quote cells; read it before you send it to anyone."
    )


def _spell_out_what_the_terminal_cannot_show() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _left(out: Outlet, code: int) -> int:
    """Return the code once everything said has left; a reader that has gone away is not worth a word."""
    out.flush()
    out.drop()
    if out.refusal is None or isinstance(out.refusal, BrokenPipeError):
        return code
    print(f"error: cannot write to standard output ({out.refusal.strerror}).", file=sys.stderr)
    return code or 1
