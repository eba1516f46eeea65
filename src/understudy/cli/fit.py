"""understudy fit: a table in, a model folder out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli import options, screen
from understudy.cli.learning import Learned, Source, Wish, budget_of, learn
from understudy.cli.outcome import meaning, seconds_text, shown_source, size_text

__all__ = ["fit"]


def fit(
    data: options.Data,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model goes.")],
    method: options.Method = None,
    epsilon: options.Epsilon = None,
    delta: options.Delta = None,
    schema: options.SchemaFile = None,
    settings: options.Settings = None,
    seed: options.Seed = 0,
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
    learned = learn(source, Wish(method, settings or (), schema, budget, seed, progress=not as_json))
    learned.model.save(output)
    seconds = time.perf_counter() - started
    tree = _tree(learned, output) | {"seed": seed, "seconds": round(seconds, 3)}
    screen.show(_facts(data, learned, output, seconds), tree, as_json=as_json)


def _facts(data: str, learned: Learned, output: Path, seconds: float) -> list[tuple[str, str]]:
    model, reason = learned.model, learned.reason
    return [
        ("read", f"{shown_source(data)}: {size_text(learned.table)}"),
        ("method", f"{model.recipe}: {reason}" if reason else model.recipe),
        ("wrote", f"{output}, in {seconds_text(seconds)}"),
        ("privacy", meaning(model.certificate)),
    ]


def _tree(learned: Learned, output: Path) -> dict[str, object]:
    model = learned.model
    return {
        "model": str(output),
        "rows": len(learned.table),
        "columns": len(learned.table.names),
        "method": model.recipe,
        "reason": learned.reason,
        "settings": model.settings,
        "status": model.certificate.status,
        "meaning": meaning(model.certificate),
    }
