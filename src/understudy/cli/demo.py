"""understudy demo: the whole line on a built-in table of people who do not exist."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli import options, screen
from understudy.cli.outcome import meaning, seconds_text, size_text
from understudy.errors import InputError, WriteError

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.table.table import Table

__all__ = ["demo"]

METHOD = "gaussian_copula"
REAL, FAKE, MODEL = "people.csv", "stand-in.csv", "model"


def demo(
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where everything goes.")
    ] = Path("demo"),
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Make a stand-in for a built-in table and compare the two."""
    from understudy import synth
    from understudy.table.builtin import load

    started = time.perf_counter()
    _prepare(output)
    real = load("people")
    model = synth.get(METHOD)().fit(real, seed=seed, progress=not as_json)
    fake = model.sample_table(len(real), seed)
    written = _write(output, real, fake, model)
    seconds = time.perf_counter() - started
    if as_json:
        files = {name: str(path) for name, path in written.items()}
        screen.show_json({**files, "rows": len(fake), "method": METHOD, "status": model.certificate.status})
        return
    _show(real, fake)
    screen.show_facts(
        [
            ("real", f"{written['real']}: {size_text(real)}; generated, nobody in it exists"),
            (
                "stand-in",
                f"{written['synthetic']}: {size_text(fake)}, by {METHOD}, in {seconds_text(seconds)}",
            ),
            ("certificate", f"{written['certificate']}: {meaning(model.certificate)}"),
            ("model", f"{written['model']}: understudy sample {written['model']} -o more.csv --rows 1000"),
        ]
    )


def _prepare(folder: Path) -> None:
    """Make the folder; one that holds something else than an earlier demo is left alone."""
    ours = {REAL, FAKE, "stand-in.certificate.json", MODEL}
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


def _write(folder: Path, real: Table, fake: Table, model: Model) -> dict[str, Path]:
    from understudy.table.release import release

    return {
        "real": real.write(folder / REAL),
        "synthetic": folder / FAKE,
        "certificate": release(fake, folder / FAKE, model.certificate),
        "model": model.save(folder / MODEL),
    }


def _show(real: Table, fake: Table) -> None:
    from understudy.table.glance import glance

    left, right = glance(real), glance(fake)
    screen.show_table(("column", "real", "stand-in"), [(name, left[name], right[name]) for name in left])
    print()
