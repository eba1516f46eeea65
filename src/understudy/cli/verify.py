"""understudy verify: are these the files that were written, and do the figures follow from the entries?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli import options, screen

__all__ = ["verify"]


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A model, an audit, a certificate, or a folder of them.")
    ],
    *,
    as_json: options.AsJson = False,
) -> None:
    """Check files and certificates, without the data.

    The exit code is 1 if a file was altered or a figure does not follow.
    """
    from understudy.model.verify import verify as check_all
    from understudy.synth import load

    checks = check_all(path, load)
    bad = [check for check in checks if not check.good]
    if as_json:
        screen.show_json({"verified": not bad, "checks": [asdict(check) for check in checks]})
    else:
        marks = [("ok" if c.good else "FAILED", c.path, c.what, c.found) for c in checks]
        screen.show_table(("", "file", "check", "found"), marks)
        print(
            f"\n{len(bad)} of {len(checks)} checks failed." if bad else f"\nall {len(checks)} checks passed."
        )
    raise typer.Exit(1 if bad else 0)
