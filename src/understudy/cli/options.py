"""Options that several commands share: the same word means the same thing everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "MOST_ROWS", "AsJson", "Data", "Delimiter", "Delta", "Encoding", "Epsilon", "Force", "LearnSeed",
    "Method", "MissingTexts", "RawCsv", "Rows", "Run", "SchemaFile", "Seed", "Settings", "Where",
    "known_methods",
]  # fmt: skip

MOST_ROWS = 10**10  # what a model samples at most; known here so that no fit has to end in a refusal


def known_methods(incomplete: str) -> list[str]:
    """Return the synthesizers whose names begin like this, for shell completion."""
    from understudy import synth

    return [name for name in synth.names() if name.startswith(incomplete)]


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A .csv, .tsv, .parquet or .arrow file, or a database URL with ?table=."
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The synthesizer; `understudy methods` lists them.", autocompletion=known_methods
    ),
]
Rows = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=MOST_ROWS,
        metavar="N",
        help="Rows to make; as many as were read if left out, or about as many with a budget.",
    ),
]
Epsilon = Annotated[
    float | None, typer.Option(metavar="E", help="The privacy budget; without it there is no guarantee.")
]
Delta = Annotated[
    float | None, typer.Option(metavar="D", help="The delta that belongs to --epsilon; 1e-9 if left out.")
]
Run = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Keep ledger and training here: what is cut short goes on, and runs add up."
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema", metavar="FILE", help="What each column is, as `understudy schema -o` writes it."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the synthesizer; may be repeated."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Only such rows: COLUMN=value, =low..high, =a|b|c, or = alone for missing; may be repeated.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same rows.")]
LearnSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        metavar="N",
        help="The same seed gives the same rows, but not within a budget: its noise has no seed.",
    ),
]
RawCsv = Annotated[
    bool, typer.Option("--raw-csv", help="Leave text that a spreadsheet would run as a formula as it is.")
]
Delimiter = Annotated[str | None, typer.Option(metavar="CHAR", help="CSV: what separates the cells.")]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="CSV: the encoding, such as latin-1.")]
MissingTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", metavar="TEXT", help="CSV: a spelling that means missing, such as NA; may be repeated."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files that understudy did not write; never DATA itself.")
]
