"""understudy metrics: the measures there are, or what they say about a stand-in."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, cast

import typer

from understudy.cli import measured, options
from understudy.cli.reading import csv_flags, reading_of

if TYPE_CHECKING:
    from understudy.measuring.measure import Level

__all__ = ["known_measures", "metrics"]


def known_measures(incomplete: str) -> list[str]:
    """Return the measures whose names begin like this, for shell completion."""
    from understudy import metrics as room

    return [name for name in room.names() if name.startswith(incomplete)]


_Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column to predict; the last one if left out.")
]
_Only = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Only this measure; may be repeated.", autocompletion=known_measures),
]


def metrics(
    *,
    train: measured.Train = None,
    synthetic: measured.Synthetic = None,
    holdout: measured.Holdout = None,
    target: _Target = None,
    schema: options.SchemaFile = None,
    level: measured.Level = None,
    only: _Only = None,
    workers: measured.Workers = None,
    seed: measured.Seed = None,
    delimiter: measured.Delimiter = None,
    encoding: measured.Encoding = None,
    missing: measured.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """List the measures, or judge a stand-in by them.

    With --train and --synthetic it judges; with neither, it lists. The exit code is 1 if no measure could be
    computed.
    """
    from understudy import metrics as room

    if train is None and synthetic is None:
        given = {"--holdout": holdout, "--target": target, "--only": only or None, "--schema": schema}
        measured.refuse_strays("metrics", given)
        measured.refuse_strays("metrics", {"--level": level, "--workers": workers, "--seed": seed})
        measured.refuse_strays("metrics", csv_flags(delimiter, encoding, missing))
        known = {name: room.get(name) for name in room.names()}
        measured.show_list("metrics", known, ("measure", "what it measures"), as_json=as_json)
        return
    train, synthetic = measured.refuse_half("metrics", train, synthetic)
    from understudy.table.schema import Schema

    started = time.perf_counter()
    said = None if schema is None else Schema.load(schema)
    reading = reading_of("metrics", (train, holdout), delimiter, encoding, missing)
    tables = {"train": train, "synthetic": synthetic, "holdout": holdout}
    evidence = measured.evidence_of(reading, tables, said, target)
    chosen = cast("Level", "standard" if level is None else level)
    results = room.run(evidence, chosen, seed or 0, only or None, workers, progress=not as_json)
    measured.show_results(results, "measure", time.perf_counter() - started, as_json=as_json)
