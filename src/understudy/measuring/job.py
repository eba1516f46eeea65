"""A job: one measure to be tried on evidence, as a line of text, and what came of it as another.

A measure that fails gives a result all the same: its value is NaN and a note says why. The note holds the
message of an error that understudy raised on purpose; of any other error only its kind and place, for the
text of a foreign error can quote cells.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from understudy.errors import ParameterError, UnderstudyError
from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.table.evidence import Evidence

__all__ = ["DEBUG", "answer", "answered", "attempt", "failed", "job", "reason", "restored"]

DEBUG: Final = "UNDERSTUDY_DEBUG"  # set to 1, foreign errors are raised, with all that their texts may quote
_HERE = str(Path(__file__).resolve().parents[1])


def job(measure: Measure, seed: int) -> str:
    """Return a measure with its settings as a line of text.

    >>> from understudy.metrics.missingness import Missingness
    >>> restored(job(Missingness(halves=7), seed=3))
    (Missingness(rows=100000, halves=7, nulls=5), 3)
    """
    kind = type(measure)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise ParameterError(
            f"run: {kind.__name__} must be a class of a module, so that other processes can import it; "
            "try workers=0."
        )
    settings = asdict(measure)
    return json.dumps(
        {"module": kind.__module__, "name": kind.__qualname__, "settings": settings, "seed": seed}
    )


def restored(line: str) -> tuple[Measure, int]:
    """Return the measure of a line, and its seed."""
    tree = json.loads(line)
    kind = importlib.import_module(tree["module"])
    for word in tree["name"].split("."):
        kind = getattr(kind, word)
    measure: Measure = kind(**tree["settings"])  # type: ignore[operator]
    return measure, tree["seed"]


def attempt(measure: Measure, evidence: Evidence, seed: int) -> Result:
    """Measure; a measure that fails says so in its result and stops nobody."""
    start = time.perf_counter()
    try:
        return measure(evidence, seed=seed)
    except Exception as error:
        if os.environ.get(DEBUG) == "1" and not isinstance(error, UnderstudyError):
            raise
        return failed(measure, reason(error), time.perf_counter() - start)


def failed(measure: Measure, reason: str, seconds: float) -> Result:
    """Return the result of a measure that could not be computed."""
    nan = math.nan
    note = f"not measured: {reason}"
    return Result(
        measure.title(),
        nan,
        nan,
        nan,
        nan,
        measure.better,
        saw_real_rows=True,
        seconds=seconds,
        notes=(note,),
    )


def answer(result: Result) -> str:
    """Return a result as a line of text."""
    return json.dumps(asdict(result), default=float)


def answered(line: str) -> Result:
    """Return the result of a line."""
    tree: dict[str, Any] = json.loads(line)
    record = tree["per_record"]
    tree |= {"notes": tuple(tree["notes"]), "per_record": None if record is None else tuple(record)}
    return Result(**tree)


def reason(error: Exception) -> str:
    """Return why something failed, in words that quote no cell."""
    if isinstance(error, UnderstudyError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory; judge fewer rows, or run fewer workers."
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if frame.filename.startswith(_HERE)), frames[-1])
    return (
        f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}: this is a fault of "
        f"understudy, not yours; {DEBUG}=1 shows the traceback, which may quote cells."
    )
