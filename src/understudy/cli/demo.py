"""understudy demo: the whole line on a built-in table of people who do not exist."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli import options, screen
from understudy.cli.outcome import meaning, seconds_text
from understudy.errors import InputError, WriteError

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.study.audit import Audit
    from understudy.table.schema import Schema
    from understudy.table.table import Table

__all__ = ["demo"]

METHOD, PRIVATE_METHOD = "gaussian_copula", "aim"
EPSILON, DELTA = 3.0, 1e-6
PEOPLE, HELD = 2_000, 1_000  # learned from, and kept aside for attacks
REAL, HOLDOUT = "people.csv", "holdout.csv"
FAKE, PRIVATE = "stand-in.csv", "private.csv"
MODEL, AUDIT = "model", "audit"


def demo(
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where everything goes.")
    ] = Path("demo"),
    seed: options.LearnSeed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Make two stand-ins for a built-in table and audit both.

    One is made within a privacy budget; the report puts them side by side.
    """
    from understudy import synth
    from understudy.privacy import Budget

    started = time.perf_counter()
    _prepare(output)
    real, holdout = _people()
    model = synth.get(METHOD)().fit(real, seed=seed, progress=not as_json)
    budget = Budget(epsilon=EPSILON, delta=DELTA)
    private = synth.get(PRIVATE_METHOD)().fit(real, _public(real), budget, seed, progress=not as_json)
    fakes = {FAKE: model.sample_table(len(real), seed), PRIVATE: private.sample_table(len(real), seed)}
    written = _write(output, {REAL: real, HOLDOUT: holdout}, fakes, (model, private))
    found = _audited(output, seed, as_json=as_json)
    if as_json:
        files = {name: str(path) for name, path in written.items()}
        standings = {candidate.name: candidate.standing for candidate in found.candidates}
        more = {"rows": len(fakes[FAKE]), "method": METHOD, "status": model.certificate.status}
        screen.show_json({**files, **more, "standings": standings})
        return
    _show(real, fakes)
    _say(written, (model, private), found, time.perf_counter() - started)


def _prepare(folder: Path) -> None:
    """Make the folder; one that holds something else than an earlier demo is left alone."""
    from understudy.table.release import certificate_path

    ours = {REAL, HOLDOUT, FAKE, PRIVATE, MODEL, AUDIT}
    ours |= {certificate_path(Path(name)).name for name in (FAKE, PRIVATE)}
    if folder.exists() and not folder.is_dir():
        raise InputError(f"demo: {str(folder)!r} is a file; name a folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = sorted({entry.name for entry in folder.iterdir()} - ours)
    except OSError as error:
        raise WriteError(f"demo: cannot make {str(folder)!r} ({error.strerror}).") from None
    if strangers:
        raise InputError(
            f"demo: {str(folder)!r} holds other files, {strangers[0]!r} among them; name another folder."
        )


def _people() -> tuple[Table, Table]:
    """Return people to learn from, and others of the same law."""
    from understudy.table.builtin import load
    from understudy.table.table import Table

    everybody = load("people", rows=PEOPLE + HELD).to_arrow()
    return Table(everybody.slice(0, PEOPLE)), Table(everybody.slice(PEOPLE))


def _public(real: Table) -> Schema:
    """Return what anybody may know of the table: types, and what an id looks like."""
    from understudy.table.public import by_type
    from understudy.table.schema import Column

    schema = by_type(real)
    known = Column(name="person_id", kind="id", type="string", template="P9999999")
    columns = tuple(known if column.name == known.name else column for column in schema.columns)
    return schema.model_copy(update={"columns": columns})


def _write(
    folder: Path, tables: dict[str, Table], fakes: dict[str, Table], models: tuple[Model, Model]
) -> dict[str, Path]:
    from understudy.table.release import release

    for name, table in tables.items():
        table.write(folder / name)
    papers = [
        release(fake, folder / name, model.certificate)
        for (name, fake), model in zip(fakes.items(), models, strict=True)
    ]
    return {
        "real": folder / REAL,
        "holdout": folder / HOLDOUT,
        "synthetic": folder / FAKE,
        "certificate": papers[0],
        "private": folder / PRIVATE,
        "private_certificate": papers[1],
        "model": models[0].save(folder / MODEL),
        "report": folder / AUDIT / "share.html",
    }


def _audited(folder: Path, seed: int, *, as_json: bool) -> Audit:
    from understudy.study.audit import audit

    found = audit(
        folder / REAL,
        [folder / FAKE, folder / PRIVATE],
        folder / HOLDOUT,
        level="quick",
        seed=seed,
        progress=not as_json,
    )
    found.save(folder / AUDIT)
    return found


def _show(real: Table, fakes: dict[str, Table]) -> None:
    from understudy.table.glance import glance

    left, *rest = (glance(table) for table in (real, *fakes.values()))
    rows = [(name, left[name], *(words[name] for words in rest)) for name in left]
    screen.show_table(("column", "real", "stand-in", "private"), rows)
    print()


def _say(written: dict[str, Path], models: tuple[Model, Model], found: Audit, seconds: float) -> None:
    standings = {candidate.name: candidate.standing for candidate in found.candidates}
    stand_in, private = (meaning(model.certificate, DELTA) for model in models)
    screen.show_facts(
        [
            ("real", f"{written['real']}: {PEOPLE:,} rows; generated, nobody in it exists"),
            ("stand-in", f"{written['synthetic']}: by {METHOD}; {stand_in}"),
            ("private", f"{written['private']}: by {PRIVATE_METHOD}; {private}"),
            ("audit", ", ".join(f"{name} {standing}" for name, standing in standings.items())),
            ("report", f"{written['report']}: open it in a browser; {found.dossier.policy}"),
            ("internal", f"{written['report'].with_name('internal.html')}: for those who may see the rows"),
            ("certificate", f"{written['certificate']} and {written['private_certificate']}"),
            ("model", f"{written['model']}: understudy sample {written['model']} -o more.csv --rows 1000"),
            ("time", seconds_text(seconds)),
        ]
    )
