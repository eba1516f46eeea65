"""What the commands that judge a stand-in share: their options, the list, the results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli import judged, screen
from understudy.cli.outcome import seconds_text
from understudy.cli.reading import in_a_shell
from understudy.errors import InputError

if TYPE_CHECKING:
    from understudy.measuring.measure import Measure
    from understudy.model.recipe import Recipe
    from understudy.result import Result
    from understudy.table.evidence import Evidence
    from understudy.table.reading import Reading
    from understudy.table.schema import Schema

__all__ = [
    "Delimiter", "Encoding", "Holdout", "Level", "MissingTexts", "Seed", "Synthetic", "Train", "Workers",
    "evidence_of", "loaded", "recipe_of", "refuse_half", "refuse_strays", "show_list", "show_results",
]  # fmt: skip

Train = Annotated[
    str | None,
    typer.Option(metavar="DATA", help="The rows that were learned from: a file, or a database URL."),
]
Synthetic = Annotated[str | None, typer.Option(metavar="DATA", help="The stand-in to judge.")]
Holdout = Annotated[str | None, typer.Option(metavar="DATA", help="Real rows that were not learned from.")]
Level = Annotated[
    str | None,
    typer.Option(metavar="LEVEL", help="quick (seconds), standard (minutes; if left out) or full."),
]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHAR", help="CSV: what separates the cells of the real tables.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="CSV: the encoding of the real tables, such as latin-1.")
]
MissingTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help="CSV: a spelling that means missing in the real tables, such as NA; may be repeated.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=0, max=1024, metavar="N", help="Processes; one for each core if left out.")
]
Seed = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="The same seed gives the same scores; 0 if left out.")
]


def refuse_half(command: str, train: str | None, synthetic: str | None) -> tuple[str, str]:
    """Return both tables, or say that one of them is not there."""
    if train is None or synthetic is None:
        raise InputError(f"{command}: --train and --synthetic belong together; give both, or neither.")
    return train, synthetic


def refuse_strays(command: str, given: Mapping[str, object]) -> None:
    """Refuse options that mean nothing where the command only lists."""
    for flag, value in given.items():
        if value is not None:  # a 0 was given as well
            raise InputError(f"{command}: {flag} belongs to --train and --synthetic; give these as well.")


def evidence_of(
    reading: Reading, tables: Mapping[str, str | None], schema: Schema | None, target: str | None = None
) -> Evidence:
    """Return the tables in their roles: real ones read as somebody said, the stand-in as it was written."""
    from understudy.table.evidence import Evidence

    with in_a_shell():
        ways = {role: reading.stand_in if role == "synthetic" else reading.private for role in tables}
        read = {role: None if data is None else ways[role](data) for role, data in tables.items()}
    return Evidence(
        train=read["train"],
        synthetic=read["synthetic"],
        holdout=read.get("holdout"),
        reference=read.get("reference"),
        schema=schema,
        target=target,
    )


def loaded(schema: Path | None) -> Schema | None:
    """Return the schema of a file; None if there is none."""
    from understudy.table.schema import Schema

    return None if schema is None else Schema.load(schema)


def recipe_of(command: str, method: str | None, settings: list[str] | None) -> Recipe | None:
    """Return what made the stand-in; None if nobody says."""
    from understudy import synth
    from understudy.cli.learning import settings_of

    if method is None:
        if settings:
            raise InputError(f"{command}: --set belongs to --method; name the synthesizer as well.")
        return None
    kind = synth.get(method)
    return kind(**settings_of(kind, settings or ()))


def show_results(results: list[Result], noun: str, seconds: float, *, as_json: bool) -> None:
    """Print results; the exit code is 1 if none of them is a number."""
    if as_json:
        tree = {"results": [judged.as_tree(result) for result in results], "seconds": round(seconds, 3)}
        private = any(result.saw_real_rows for result in results)
        screen.show_json(tree | ({"private": judged.UNCOVERED} if private else {}))
    else:
        judged.show_results(results)
        print(f"\n{len(results)} {noun}{'' if len(results) == 1 else 's'} in {seconds_text(seconds)}")
    if all(math.isnan(result.value) for result in results):
        raise typer.Exit(1)


def show_list(
    room: str, measures: dict[str, type[Measure]], headers: tuple[str, str], *, as_json: bool
) -> None:
    """Print one line for each measure of a room: `headers` name the first and the last of four columns."""
    if as_json:
        screen.show_json({room: [_tree(name, measure) for name, measure in measures.items()]})
        return
    rows = [(m.title(), m.level, m.better, m.summary()) for m in measures.values()]
    screen.show_table((headers[0], "level", "best", headers[1]), sorted(rows))


def _tree(name: str, measure: type[Measure]) -> dict[str, Any]:
    settings = [
        {"name": field.name, "default": field.default, "range": str(field.metadata["rule"])}
        for field in dataclasses.fields(measure)
    ]
    # What an adversary has beside the target; measures that are no adversaries see everything.
    sees = {"sees": [*measure.sees]} if hasattr(measure, "sees") else {}
    return {
        "name": name,
        "title": measure.title(),
        "summary": measure.summary(),
        "level": measure.level,
        "better": measure.better,
        "settings": settings,
    } | sees
