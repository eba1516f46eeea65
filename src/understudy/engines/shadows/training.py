"""All shadow models of a plan: here, one after another, or in processes of their own.

The folder keeps them: whoever asks again finds them, and what was cut short goes on where it stopped. It
belongs to one plan and one `make`; another plan is refused. Processes start afresh and never as a fork, for
OpenMP libraries do not survive one; so a `make` that crosses to them is a dataclass of plain fields.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understudy.engines.shadows import files
from understudy.engines.shadows.models import Make, Together, kept, made, put_up
from understudy.engines.shadows.plan import Columns, Plan, Shadows
from understudy.errors import ParameterError, UnderstudyError

__all__ = ["opened", "train"]

MODULE = "understudy.engines.shadows.worker"
PLAN, MAKE, FAILED = "plan.safetensors", "make.json", "failed.json"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def train(make: Make, plan: Plan, folder: Path, workers: int = 0) -> Shadows:
    """Return the shadows of a plan; models that the folder holds already are not trained again.

    `workers` processes train them, or this one if it is 0. A `make` that can train many at once does so here;
    then processes draw.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _claim(folder, plan)
    lacking = [model for model in range(plan.models) if kept(folder, plan, model) is None]
    taught = _taught(make, plan, lacking)
    if workers and lacking:
        _train_apart(make, folder, [lacking[part::workers] for part in range(min(workers, len(lacking)))])
    else:
        for model in lacking:
            put_up(made(taught.get(model, make), plan, model), folder, model)
    return Shadows(plan.inside, plan.sets, tuple(_held(folder, plan, model) for model in range(plan.models)))


def _taught(make: Make, plan: Plan, models: Sequence[int]) -> dict[int, Make]:
    """Train models at once where `make` can, and return what has been made of each."""
    if not models or not isinstance(make, Together):
        return {}
    draws = make.together([(np.flatnonzero(plan.inside[model]), plan.seeds(model)[0]) for model in models])
    pairs = zip(models, draws, strict=True) if draws else ()
    return {model: (lambda _places, _seed, draw=draw: draw) for model, draw in pairs}


def opened(folder: Path) -> tuple[Make, Plan]:
    """Return what a folder is for, as a process finds it that is to train some of its models."""
    tree = json.loads((folder / MAKE).read_text(encoding="utf-8"))
    kind: Any = importlib.import_module(tree["module"])
    for word in tree["name"].split("."):
        kind = getattr(kind, word)
    make: Make = kind(**tree["fields"])
    return make, _read(folder)


def _claim(folder: Path, plan: Plan) -> None:
    """Write the plan into a new folder; refuse one that holds the models of another plan."""
    if not (folder / PLAN).exists():
        # The seed as bytes: it may have 128 bits.
        seed = np.frombuffer(plan.seed.to_bytes(16, "big"), dtype=np.uint8)
        sizes = np.array([plan.sets, plan.rows])
        files.write({"inside": plan.inside, "sizes": sizes, "seed": seed}, folder / PLAN)
    found = _read(folder)
    same = (found.sets, found.rows, found.seed) == (plan.sets, plan.rows, plan.seed)
    if not same or not np.array_equal(found.inside, plan.inside):
        raise ParameterError("shadows: this folder holds the models of another plan; choose another folder.")


def _read(folder: Path) -> Plan:
    found = files.read(folder / PLAN)
    if found is None:
        raise ParameterError("shadows: the plan of this folder cannot be read; choose another folder.")
    sets, rows = (int(size) for size in found["sizes"])
    return Plan(found["inside"], sets, rows, int.from_bytes(found["seed"].tobytes(), "big"))


def _held(folder: Path, plan: Plan, model: int) -> Columns:
    columns = kept(folder, plan, model)
    if columns is None:
        raise UnderstudyError(f"shadows: model {model} was trained, and its file is gone; try again.")
    return columns


def _train_apart(make: Make, folder: Path, parts: Sequence[Sequence[int]]) -> None:
    """Let each process train its part; whatever happens here, none of them outlives it."""
    (folder / MAKE).write_text(json.dumps(_named(make)), encoding="utf-8")
    (folder / FAILED).unlink(missing_ok=True)
    running: list[subprocess.Popen[bytes]] = []
    try:
        running.extend(_process(folder, part) for part in parts)
        codes = [process.wait() for process in running]
    finally:
        for process in running:
            process.kill()
            process.communicate()
    if any(codes):
        raise UnderstudyError(_reason(folder, [code for code in codes if code]))


def _named(make: Make) -> dict[str, Any]:
    kind = type(make)
    if not dataclasses.is_dataclass(make) or "<locals>" in kind.__qualname__ or kind.__module__ == "__main__":
        raise ParameterError(
            f"shadows: processes need a dataclass of a module as make; got {kind.__name__}; try workers=0."
        )
    fields = {field.name: getattr(make, field.name) for field in dataclasses.fields(make)}
    return {"module": kind.__module__, "name": kind.__qualname__, "fields": fields}


def _process(folder: Path, models: Sequence[int]) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(  # noqa: S603 - this Python, our own module
        [sys.executable, "-P", "-m", MODULE, str(folder), *map(str, models)],
        stdin=subprocess.PIPE,  # it ends when we do
        stdout=subprocess.DEVNULL,
        # What a library complains of may quote cells.
        stderr=None if os.environ.get("UNDERSTUDY_DEBUG") == "1" else subprocess.DEVNULL,
        env={**os.environ, **_ONE_THREAD, "PYTHONPATH": paths},
    )


def _reason(folder: Path, codes: Sequence[int]) -> str:
    """Return what a process left behind about its failure; those that were killed leave nothing."""
    try:
        return str(json.loads((folder / FAILED).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return f"shadows: a process that trained models ended with code {codes[0]}."
