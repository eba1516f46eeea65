"""understudy metrics: the measures there are, or what they say about a stand-in."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from understudy.cli import judged, options, screen
from understudy.cli.outcome import seconds_text
from understudy.errors import InputError

if TYPE_CHECKING:
    from understudy.measuring.measure import Level, Measure
    from understudy.result import Result

__all__ = ["known_measures", "metrics"]


def known_measures(incomplete: str) -> list[str]:
    """Return the measures whose names begin like this, for shell completion."""
    from understudy import metrics as room

    return [name for name in room.names() if name.startswith(incomplete)]


_Train = Annotated[
    str | None,
    typer.Option(metavar="DATA", help="The rows that were learned from: a file, or a database URL."),
]
_Synthetic = Annotated[str | None, typer.Option(metavar="DATA", help="The stand-in to judge.")]
_Holdout = Annotated[str | None, typer.Option(metavar="DATA", help="Real rows that were not learned from.")]
_Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column to predict; the last one if left out.")
]
_Level = Annotated[
    str | None,
    typer.Option(metavar="LEVEL", help="quick (seconds), standard (minutes; if left out) or full."),
]
_Only = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Only this measure; may be repeated.", autocompletion=known_measures),
]
_Workers = Annotated[
    int | None, typer.Option(min=0, max=1024, metavar="N", help="Processes; one for each core if left out.")
]
_Seed = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="The same seed gives the same scores; 0 if left out.")
]


def metrics(
    *,
    train: _Train = None,
    synthetic: _Synthetic = None,
    holdout: _Holdout = None,
    target: _Target = None,
    schema: options.SchemaFile = None,
    level: _Level = None,
    only: _Only = None,
    workers: _Workers = None,
    seed: _Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """List the measures, or judge a stand-in by them.

    With --train and --synthetic it judges; with neither, it lists. The exit code is 1 if no measure could be
    computed.
    """
    if train is None and synthetic is None:
        _refuse_strays({"--holdout": holdout, "--target": target, "--only": only or None, "--schema": schema})
        _refuse_strays({"--level": level, "--workers": workers, "--seed": seed})
        _list(as_json=as_json)
        return
    if train is None or synthetic is None:
        raise InputError("metrics: --train and --synthetic belong together; give both, or neither.")
    from understudy import metrics as room
    from understudy.table.evidence import Evidence
    from understudy.table.schema import Schema

    started = time.perf_counter()
    said = None if schema is None else Schema.load(schema)
    evidence = Evidence(train=train, synthetic=synthetic, holdout=holdout, schema=said, target=target)
    chosen = cast("Level", "standard" if level is None else level)
    results = room.run(evidence, chosen, seed or 0, only or None, workers, progress=not as_json)
    _show(results, time.perf_counter() - started, as_json=as_json)


def _show(results: list[Result], seconds: float, *, as_json: bool) -> None:
    if as_json:
        tree = {"results": [judged.as_tree(result) for result in results], "seconds": round(seconds, 3)}
        screen.show_json(tree)
    else:
        judged.show_results(results)
        print(f"\n{len(results)} measures in {seconds_text(seconds)}")
    if all(math.isnan(result.value) for result in results):
        raise typer.Exit(1)


def _refuse_strays(given: dict[str, object]) -> None:
    for flag, value in given.items():
        if value is not None:  # a 0 was given as well
            raise InputError(f"metrics: {flag} belongs to --train and --synthetic; give these as well.")


def _list(*, as_json: bool) -> None:
    from understudy import metrics as room

    measures = {name: room.get(name) for name in room.names()}
    if as_json:
        screen.show_json({"metrics": [_tree(name, measure) for name, measure in measures.items()]})
        return
    rows = [(m.title(), m.level, m.better, m.summary()) for m in measures.values()]
    screen.show_table(("measure", "level", "best", "what it measures"), sorted(rows))


def _tree(name: str, measure: type[Measure]) -> dict[str, Any]:
    settings = [
        {"name": field.name, "default": field.default, "range": str(field.metadata["rule"])}
        for field in dataclasses.fields(measure)
    ]
    return {
        "name": name,
        "title": measure.title(),
        "summary": measure.summary(),
        "level": measure.level,
        "better": measure.better,
        "settings": settings,
    }
