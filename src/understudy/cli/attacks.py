"""understudy attacks: the adversaries there are, or what they learn from a stand-in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from understudy.cli import measured, options
from understudy.cli.reading import csv_flags, reading_of
from understudy.errors import InputError

if TYPE_CHECKING:
    from understudy.measuring.measure import Level
    from understudy.privacy import Budget
    from understudy.result import Result
    from understudy.table.evidence import Evidence

__all__ = ["attacks", "known_attacks"]


def known_attacks(incomplete: str) -> list[str]:
    """Return the attacks whose names begin like this, for shell completion."""
    from understudy import attacks as room

    return [name for name in room.names() if name.startswith(incomplete)]


_Reference = Annotated[
    str | None, typer.Option(metavar="DATA", help="Real rows that an adversary has, neither of these.")
]
_Only = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Only this attack; may be repeated.", autocompletion=known_attacks),
]
_Epsilon = Annotated[
    float | None,
    typer.Option(
        metavar="E", help="The budget that the stand-in was made within; shadow models have it too."
    ),
]
_Worst = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the rows at risk here; as confidential as the table itself."),
]


def attacks(
    *,
    train: measured.Train = None,
    synthetic: measured.Synthetic = None,
    holdout: measured.Holdout = None,
    reference: _Reference = None,
    schema: options.SchemaFile = None,
    method: options.Method = None,
    settings: options.Settings = None,
    epsilon: _Epsilon = None,
    delta: options.Delta = None,
    level: measured.Level = None,
    only: _Only = None,
    workers: measured.Workers = None,
    seed: measured.Seed = None,
    worst: _Worst = None,
    delimiter: measured.Delimiter = None,
    encoding: measured.Encoding = None,
    missing: measured.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """List the attacks, or try them on a stand-in.

    With --train and --synthetic it tries; with neither, it lists. Most attacks need --holdout, many need
    --reference too; half of the holdout stands for a reference that is not given. Those that train the
    synthesizer again need --method, and --epsilon if the stand-in was made within a budget. The exit code is
    1 if no attack could be tried.
    """
    from understudy import attacks as room
    from understudy.study.informed import try_attacks

    if train is None and synthetic is None:
        given: dict[str, object] = {"--holdout": holdout, "--reference": reference, "--schema": schema}
        given |= {"--method": method, "--set": settings or None, "--epsilon": epsilon, "--delta": delta}
        given |= {"--level": level, "--only": only or None, "--workers": workers, "--seed": seed}
        _list(given | {"--worst": worst, **csv_flags(delimiter, encoding, missing)}, as_json=as_json)
        return
    train, synthetic = measured.refuse_half("attacks", train, synthetic)
    _refuse_worst(worst, (train, synthetic, holdout, reference, schema))
    started, said = time.perf_counter(), measured.loaded(schema)
    recipe, budget = measured.recipe_of("attacks", method, settings), _budget(method, epsilon, delta)
    tables = {"train": train, "synthetic": synthetic, "holdout": holdout, "reference": reference}
    reading = reading_of("attacks", (train, holdout, reference), delimiter, encoding, missing)
    evidence = measured.evidence_of(reading, tables, said)
    names = only or room.at(cast("Level", "standard" if level is None else level))
    known = {"workers": workers, "recipe": recipe, "budget": budget, "progress": not as_json}
    results = try_attacks(evidence, names, seed or 0, schema=said, **known)
    _show(results, evidence, worst, time.perf_counter() - started, as_json=as_json)


def _list(given: Mapping[str, object], *, as_json: bool) -> None:
    from understudy import attacks as room

    measured.refuse_strays("attacks", given)
    known = {name: room.get(name) for name in room.names()}
    measured.show_list("attacks", known, ("attack", "what the adversary does"), as_json=as_json)


def _budget(method: str | None, epsilon: float | None, delta: float | None) -> Budget | None:
    """Return what shadow models may spend; without a method none are trained."""
    from understudy.cli.learning import budget_of

    budget = budget_of(epsilon, delta)
    if budget is not None and method is None:
        raise InputError("attacks: --epsilon belongs to --method; name the synthesizer as well.")
    return budget


def _show(
    results: list[Result], evidence: Evidence, worst: Path | None, seconds: float, *, as_json: bool
) -> None:
    try:
        measured.show_results(results, "attack", seconds, as_json=as_json)
    finally:  # an exit code of 1 is no reason to lose what was found
        if worst is not None:
            _write_worst(results, evidence, worst, as_json=as_json)


def _refuse_worst(worst: Path | None, inputs: tuple[str | Path | None, ...]) -> None:
    from understudy.measuring.worst_file import refuse_place

    if worst is not None:
        refuse_place(worst, inputs)


def _write_worst(results: list[Result], evidence: Evidence, path: Path, *, as_json: bool) -> None:
    from understudy.measuring.at_risk import records_at_risk
    from understudy.measuring.worst_file import write_records

    records = records_at_risk(results, evidence)
    written = write_records(records, path)
    if not as_json:
        several = sum(len(record.attacks) > 1 for record in records)
        print(f"{written:,} rows at risk, {several:,} by more than one attack: {path} (confidential)")
