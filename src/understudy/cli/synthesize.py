"""understudy synthesize: a table in, its stand-in and a certificate out."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from understudy.cli import options, screen
from understudy.cli.cautions import caution_facts
from understudy.cli.learning import Learned, Source, Wish, budget_of, learn
from understudy.cli.outcome import (
    figures,
    levels_facts,
    levels_tree,
    meaning,
    privacy_facts,
    seconds_text,
    shown_source,
    size_text,
)
from understudy.cli.reading import csv_words, named_source

if TYPE_CHECKING:
    from understudy.table.table import Table

__all__ = ["synthesize"]


def synthesize(
    data: options.Data,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the stand-in goes.")],
    method: options.Method = None,
    rows: options.Rows = None,
    epsilon: options.Epsilon = None,
    delta: options.Delta = None,
    run: options.Run = None,
    schema: options.SchemaFile = None,
    settings: options.Settings = None,
    where: options.Where = None,
    seed: options.LearnSeed = 0,
    raw_csv: options.RawCsv = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a synthetic table, and its certificate beside it."""
    from understudy.model.where_text import where_from_text
    from understudy.table.release import refuse_target, release

    started = time.perf_counter()
    source = Source(data, delimiter, encoding, missing or ())
    refuse_target(output, sources=[*source.files(), *([schema] if schema else [])], force=force)
    budget = budget_of(epsilon, delta)
    wish = Wish(method, settings or (), schema, budget, seed, progress=not as_json, run=run)
    learned = learn(source, wish, where or ())
    conditions = where_from_text(where, learned.model.schema) if where else None
    table = learned.model.sample_table(learned.rows(rows), seed, conditions)
    certificate = release(table, output, learned.model.certificate, raw_csv=raw_csv)
    written, seconds = (output, certificate), time.perf_counter() - started
    made = ["--method", learned.model.recipe, *(word for each in settings or () for word in ("--set", each))]
    audit = "" if where else _audit(source, output, made, schema)  # an audit knows of no conditions
    done = _Done(data, learned, table, written, seconds, delta, audit)
    screen.show(_facts(done), _tree(done) | {"seed": seed}, as_json=as_json)


@final
@dataclass(frozen=True)
class _Done:
    data: str
    learned: Learned
    table: Table
    written: tuple[Path, Path]
    seconds: float
    delta: float | None
    audit: str


def _audit(source: Source, output: Path, made: Sequence[str], schema: Path | None) -> str:
    """Return the command that audits what was written; told the method, it can try attacks on a rehearsal."""
    words = ["understudy", "audit", "--train", named_source(source.data), "--synthetic", str(output), *made]
    words += [] if schema is None else ["--schema", str(schema)]
    words += csv_words(source.delimiter, source.encoding, source.missing)
    return shlex.join([*words, "-o", "audit/"])


def _facts(done: _Done) -> list[tuple[str, str]]:
    model, reason = done.learned.model, done.learned.reason
    return [
        ("read", f"{shown_source(done.data)}: {done.learned.size()}"),
        ("method", f"{model.recipe}: {reason}" if reason else model.recipe),
        ("wrote", f"{done.written[0]}: {size_text(done.table)}, in {seconds_text(done.seconds)}"),
        ("", str(done.written[1])),
        *levels_facts(model.schema),
        *caution_facts(done.learned.cautions),
        *privacy_facts(model.certificate, done.delta),
        *([("next", done.audit)] if done.audit else []),
    ]


def _tree(done: _Done) -> dict[str, Any]:
    model = done.learned.model
    return {
        "output": str(done.written[0]),
        "certificate": str(done.written[1]),
        "rows": len(done.table),
        "columns": len(done.table.names),
        "method": model.recipe,
        "reason": done.learned.reason,
        "settings": model.settings,
        "status": model.certificate.status,
        "meaning": meaning(model.certificate, done.delta),
        **figures(model.certificate, done.delta),
        **levels_tree(model.schema),
        "warnings": [*done.learned.cautions],
        "audit": done.audit or None,
        "seconds": round(done.seconds, 3),
    }
