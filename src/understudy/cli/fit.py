"""understudy fit: a table in, a model folder out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli import options, screen
from understudy.cli.cautions import caution_facts
from understudy.cli.learning import Learned, Source, Wish, budget_of, learn
from understudy.cli.outcome import (
    KEEP,
    figures,
    levels_facts,
    levels_tree,
    meaning,
    privacy_facts,
    seconds_text,
    shown_source,
)

__all__ = ["fit"]


def fit(
    data: options.Data,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")],
    method: options.Method = None,
    epsilon: options.Epsilon = None,
    delta: options.Delta = None,
    run: options.Run = None,
    schema: options.SchemaFile = None,
    settings: options.Settings = None,
    seed: options.LearnSeed = 0,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    missing: options.MissingTexts = None,
    as_json: options.AsJson = False,
) -> None:
    """Save a model, to sample from as often as needed."""
    from understudy.model.store import MANIFEST, PARTS
    from understudy.table.release import refuse_folder

    started = time.perf_counter()
    source = Source(data, delimiter, encoding, missing or ())
    refuse_folder(output, (MANIFEST, *PARTS), sources=[*source.files(), *([schema] if schema else [])])
    budget = budget_of(epsilon, delta)
    wish = Wish(method, settings or (), schema, budget, seed, progress=not as_json, run=run)
    learned = learn(source, wish)
    learned.model.save(output)
    seconds = time.perf_counter() - started
    tree = _tree(learned, output, delta) | {"seed": seed, "seconds": round(seconds, 3)}
    model = learned.model
    said = [
        *_facts(data, learned, output, seconds),
        *levels_facts(model.schema),
        *caution_facts(learned.cautions),
        *privacy_facts(model.certificate, delta),
    ]
    if model.sampler.charge(1) is not None:
        said.append(("", KEEP))
    screen.show(said, tree, as_json=as_json)


def _facts(data: str, learned: Learned, output: Path, seconds: float) -> list[tuple[str, str]]:
    model, reason = learned.model, learned.reason
    return [
        ("read", f"{shown_source(data)}: {learned.size()}"),
        ("method", f"{model.recipe}: {reason}" if reason else model.recipe),
        ("wrote", f"{output}, in {seconds_text(seconds)}"),
    ]


def _tree(learned: Learned, output: Path, delta: float | None) -> dict[str, object]:
    model = learned.model
    return {
        "model": str(output),
        "rows": model.sampler.rows if learned.private else len(learned.table),
        "columns": len(learned.table.names),
        "method": model.recipe,
        "reason": learned.reason,
        "settings": model.settings,
        "status": model.certificate.status,
        "meaning": meaning(model.certificate, delta),
        **figures(model.certificate, delta),
        **levels_tree(model.schema),
        "warnings": [*learned.cautions],
    }
