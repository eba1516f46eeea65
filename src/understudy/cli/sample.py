"""understudy sample: a model folder in, a synthetic table and its certificate out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli import options, screen
from understudy.cli.outcome import figures, meaning, privacy_facts, seconds_text, size_text

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
        model, load, rows, seed, lambda loaded: where_from_text(where or (), loaded.schema)
    )
    certificate = release(table, output, fitted.certificate, raw_csv=raw_csv)
    seconds = time.perf_counter() - started
    facts = [
        ("model", f"{model}: {fitted.recipe}"),
        ("wrote", f"{output}: {size_text(table)}, in {seconds_text(seconds)}"),
        ("", str(certificate)),
        *privacy_facts(fitted.certificate),
    ]
    tree = {
        "output": str(output),
        "certificate": str(certificate),
        "rows": len(table),
        "columns": len(table.names),
        "method": fitted.recipe,
        "seed": seed,
        "status": fitted.certificate.status,
        "meaning": meaning(fitted.certificate),
        **figures(fitted.certificate),
        "seconds": round(seconds, 3),
    }
    screen.show(facts, tree, as_json=as_json)
