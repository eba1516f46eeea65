"""understudy sample: a model folder in, a synthetic table and its certificate out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from understudy.cli import options, screen
from understudy.cli.outcome import figures, meaning, privacy_facts, seconds_text, size_text

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.table.table import Table

__all__ = ["sample"]


def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that `understudy fit` wrote.")],
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the table goes.")],
    rows: Annotated[int, typer.Option(min=0, max=options.MOST_ROWS, metavar="N", help="Rows to make.")],
    where: options.Where = None,
    seed: options.Seed = 0,
    raw_csv: options.RawCsv = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write rows of a saved model, and their certificate."""
    from understudy.model.recorded import sample_recorded
    from understudy.model.where_text import where_from_text
    from understudy.synth import load
    from understudy.table.release import refuse_target, release

    started = time.perf_counter()
    refuse_target(output, force=force)
    fitted, table = sample_recorded(
        model,
        lambda folder: load(folder, spent=False),
        rows,
        seed,
        lambda loaded: where_from_text(where or (), loaded.schema),
    )
    certificate = release(table, output, fitted.certificate, raw_csv=raw_csv)
    done = _Done(model, fitted, table, (output, certificate), time.perf_counter() - started)
    screen.show(_facts(done), _tree(done) | {"seed": seed}, as_json=as_json)


@final
@dataclass(frozen=True)
class _Done:
    folder: Path
    model: Model
    table: Table
    written: tuple[Path, Path]
    seconds: float


def _facts(done: _Done) -> list[tuple[str, str]]:
    return [
        ("model", f"{done.folder}: {done.model.recipe}"),
        ("wrote", f"{done.written[0]}: {size_text(done.table)}, in {seconds_text(done.seconds)}"),
        ("", str(done.written[1])),
        *privacy_facts(done.model.certificate),
    ]


def _tree(done: _Done) -> dict[str, Any]:
    return {
        "output": str(done.written[0]),
        "certificate": str(done.written[1]),
        "rows": len(done.table),
        "columns": len(done.table.names),
        "method": done.model.recipe,
        "status": done.model.certificate.status,
        "meaning": meaning(done.model.certificate),
        **figures(done.model.certificate),
        "seconds": round(done.seconds, 3),
    }
