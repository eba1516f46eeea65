"""understudy audit: judge a stand-in, attack it, and write a report to sign or to refuse."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli import judged, measured, options, screen
from understudy.cli.outcome import seconds_text
from understudy.cli.reading import in_a_shell, reading_of
from understudy.errors import InputError, WriteError

if TYPE_CHECKING:
    from understudy.report.dossier import Candidate
    from understudy.study.audit import Audit

__all__ = ["REFUSED", "audit"]

REFUSED = 3  # the exit code of a broken policy
_COLOURS = {"passes": "green", "undecided": "yellow", "refused": "bold red"}
_MEANING = {
    "passes": "every line of the policy is kept",
    "undecided": "no line of the policy is surely broken, and not every one is surely kept",
    "refused": "the policy is broken",
}

_Train = Annotated[
    str, typer.Option(metavar="DATA", help="The rows that were learned from: a file, or a database URL.")
]
_Synthetic = Annotated[
    list[str] | None,
    typer.Option(metavar="DATA", help="The stand-in to judge; may be repeated, to compare several."),
]
_Reference = Annotated[
    str | None, typer.Option(metavar="DATA", help="Real rows that an adversary has, neither of these.")
]
_Certificate = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE", help="Of each stand-in, in order; the one beside its file if left out."),
]
_Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column to predict; the last one if left out.")
]
_Policy = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Limits, as TOML; understudy's own if left out.")
]
_Output = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the reports go.")]


def audit(
    *,
    train: _Train,
    output: _Output,
    synthetic: _Synthetic = None,
    holdout: measured.Holdout = None,
    reference: _Reference = None,
    certificate: _Certificate = None,
    method: options.Method = None,
    settings: options.Settings = None,
    schema: options.SchemaFile = None,
    target: _Target = None,
    policy: _Policy = None,
    level: measured.Level = None,
    workers: measured.Workers = None,
    seed: measured.Seed = None,
    delimiter: measured.Delimiter = None,
    encoding: measured.Encoding = None,
    missing: measured.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """Judge and attack a stand-in, and write two reports.

    share.html may leave the house; internal.html tells of single records and may not. Most attacks need
    --holdout; without it, --method says how the stand-in was made, and the method is tried on parts of the
    rows. What was found is kept in the folder: an audit that was cut short goes on. The exit code is 3 if the
    policy is broken (of several stand-ins, by every one).
    """
    from understudy.study.audit import audit as audited

    started = time.perf_counter()
    _refuse_output(output)
    tables = (train, list(synthetic or ()) or None, holdout, reference, list(certificate or ()) or None)
    asked: dict[str, Any] = {"policy": policy, "target": target, "workers": workers, "folder": output}
    asked |= {"level": "standard" if level is None else level, "seed": seed or 0, "progress": not as_json}
    asked["recipe"] = measured.recipe_of("audit", method, settings)
    asked["reading"] = reading_of("audit", (train, holdout, reference), delimiter, encoding, missing)
    with in_a_shell():
        found = audited(*tables, schema=measured.loaded(schema), **asked)
    folder = found.save(output)
    _tell(found, folder, time.perf_counter() - started, as_json=as_json)
    raise typer.Exit(REFUSED if found.standing == "refused" else 0)


def _refuse_output(folder: Path) -> None:
    """Refuse a place where no folder can be, before minutes of work."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"audit: {str(folder)!r} is a file; name a folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"audit: cannot make {str(folder)!r} ({error.strerror}).") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WriteError(f"audit: cannot write into {str(folder)!r}; name another folder.")


def _tell(found: Audit, folder: Path, seconds: float, *, as_json: bool) -> None:
    if as_json:
        screen.show_json(_tree(found, folder, seconds))
    else:
        _show(found, folder, seconds)


def _tree(found: Audit, folder: Path, seconds: float) -> dict[str, Any]:
    return {
        "standing": found.standing,
        "policy": found.dossier.policy,
        "report": str(folder / "share.html"),
        "internal": str(folder / "internal.html"),
        "results": [judged.as_tree(result) for result in found.results],
        "candidates": [
            {
                "name": candidate.name,
                "standing": candidate.standing,
                "lines": [vars(line) for line in candidate.lines],
                "findings": list(candidate.findings),
            }
            for candidate in found.candidates
        ],
        "seconds": round(seconds, 3),
    }


def _show(found: Audit, folder: Path, seconds: float) -> None:
    for candidate in found.candidates:
        _show_candidate(candidate)
    screen.show_facts(
        [
            ("to share", f"{folder / 'share.html'}"),
            ("internal", f"{folder / 'internal.html'} (confidential: it tells of single records)"),
            ("verify", f"understudy verify {shlex.quote(str(folder))}"),
            ("time", f"{len(found.results)} measures and attacks in {seconds_text(seconds)}"),
        ]
    )


def _show_candidate(candidate: Candidate) -> None:
    judged.show_results(candidate.results, with_notes=False)
    print()
    rows = [(line.verdict, line.what, line.asks, line.found) for line in candidate.lines]
    screen.show_table(("verdict", "policy", "asks", "found"), rows)
    print()
    screen.show_verdict(
        f"{candidate.name}: {candidate.standing}", _MEANING[candidate.standing], _COLOURS[candidate.standing]
    )
    if candidate.findings:
        screen.show_facts(
            [("note" if not place else "", text) for place, text in enumerate(candidate.findings)]
        )
    print()
