"""understudy impute: a model folder and a table with holes in, the same table without them out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from understudy.cli import options, screen
from understudy.cli.learning import Source
from understudy.cli.outcome import seconds_text, shown_source, size_text

if TYPE_CHECKING:
    from understudy.model.model import Model
    from understudy.table.table import Table

__all__ = ["impute"]


def impute(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that `understudy fit` wrote.")],
    data: options.Data,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the table goes.")],
    seed: options.Seed = 0,
    raw_csv: options.RawCsv = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fill the missing cells of a table by a saved model."""
    from understudy.synth import load
    from understudy.table.release import refuse_file, refuse_target

    started = time.perf_counter()
    source = Source(data, delimiter, encoding, missing or ())
    # No certificate is written: what is filled stands among real cells, and is as private as they are. So a
    # table that has one is not replaced without a word either.
    refuse_target(output, sources=source.files(), force=force)
    refuse_file(output, sources=source.files(), force=force)
    fitted, given = load(model), source.read()
    table = fitted.impute(given, seed)
    table.write(output, raw_csv=raw_csv)
    done = _Done(data, fitted, (given, table), output, time.perf_counter() - started)
    screen.show(_facts(done), _tree(done) | {"seed": seed}, as_json=as_json)


@final
@dataclass(frozen=True)
class _Done:
    data: str
    model: Model
    tables: tuple[Table, Table]
    written: Path
    seconds: float

    @property
    def filled(self) -> int:
        """How many cells were filled."""
        before, after = (_missing(table) for table in self.tables)
        return before - after


def _missing(table: Table) -> int:
    import pyarrow.compute as pc

    holes = (pc.is_null(cells, nan_is_null=True) for cells in table.to_arrow().columns)
    return sum(pc.sum(each).as_py() or 0 for each in holes)


def _facts(done: _Done) -> list[tuple[str, str]]:
    return [
        ("read", f"{shown_source(done.data)}: {size_text(done.tables[0])}"),
        ("method", done.model.recipe),
        ("filled", f"{done.filled:,} cells"),
        ("wrote", f"{done.written}: {size_text(done.tables[1])}, in {seconds_text(done.seconds)}"),
        ("privacy", "none: the cells that were there are as they were; no certificate covers this file"),
    ]


def _tree(done: _Done) -> dict[str, Any]:
    return {
        "output": str(done.written),
        "rows": len(done.tables[1]),
        "columns": len(done.tables[1].names),
        "filled": done.filled,
        "method": done.model.recipe,
        "seconds": round(done.seconds, 3),
    }
