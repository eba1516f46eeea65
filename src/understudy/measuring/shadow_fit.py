"""A synthesizer as the shadow engine wants it: places of rows in, something that draws coded columns out.

Processes that train shadow models open the rows, the code and the schema in a private folder, and make the
synthesizer anew by its class and settings; so it must be a class of a module. What is drawn is told in the
code of the evidence; a level that it does not know counts as missing.

Networks train as one stack where there is a device. Each model's training stays in a folder, so that whoever
fits it again, in another process too, finds it finished.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.shadows.models import Draw
from understudy.engines.shadows.plan import Columns
from understudy.measuring import shelf
from understudy.table.coding import Coding
from understudy.table.evidence import Evidence, Role
from understudy.table.files import write_arrow
from understudy.table.schema import Column, Schema
from understudy.table.table import Table

__all__ = ["Fitting", "Learned", "Synthesizer", "class_of", "fitting", "on_device", "own_schema"]

ROWS, TERMS = "rows.arrow", "terms"
_AT_ONCE = 32  # models that are trained as one


class Learned(Protocol):
    """What a synthesizer returns: it draws tables."""

    def sample_table(self, rows: int, seed: int = 0) -> Table:
        """Return so many rows."""


class Synthesizer(Protocol):
    """What is shadowed: it learns tables. Every recipe is one."""

    def fit(
        self,
        table: object,
        schema: Schema | None = None,
        budget: Any = None,
        seed: int = 0,
        progress: bool = True,
        *,
        run: Path | None = None,
    ) -> Learned:
        """Learn a table; a long training may be kept in a folder."""

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain values."""


@final
@dataclass(frozen=True)
class Fitting:
    """Fits a synthesizer, named by its class and settings, to rows of a table in a folder.

    `keep` is a folder where trainings stay, of a recipe that can keep them and is to train as one stack.
    """

    folder: str
    module: str
    name: str
    settings: dict[str, Any]
    keep: str = ""

    def together(self, lessons: Sequence[tuple[npt.NDArray[np.int64], int]]) -> Sequence[Draw]:
        """Train the networks of all models side by side, if there is a folder to keep them in."""
        if not self.keep:
            return ()
        from understudy.engines.training.together import together

        jobs = [partial(self, *lesson) for lesson in lessons]
        parts = (jobs[start : start + _AT_ONCE] for start in range(0, len(jobs), _AT_ONCE))
        return [draw for part in parts for draw in together(part)]

    def __call__(self, rows: npt.NDArray[np.int64], seed: int) -> Draw:
        """Learn from the rows at these places, and return what draws."""
        table, coding, schema = _opened(self.folder)
        recipe: Synthesizer = class_of(self.module, self.name)(**self.settings)
        kept = {"run": Path(self.keep) / f"{seed}"} if self.keep else {}
        model = recipe.fit(Table(table.take(rows)), schema=schema, seed=seed, progress=False, **kept)

        def draw(size: int, number: int) -> Columns:
            return coding.apply(model.sample_table(size, number).to_arrow()).arrays

        return draw


@contextmanager
def fitting(
    evidence: Evidence,
    role: Role,
    places: npt.NDArray[np.int64],
    recipe: Synthesizer,
    *,
    keep: Path | None = None,
) -> Iterator[Fitting]:
    """Yield what fits the synthesizer to rows at these places of a table; its folder goes at the end.

    Networks on a device are trained side by side, where there is a folder to keep them in.
    """
    with TemporaryDirectory(prefix="understudy-shadows-") as folder:
        with pa.OSFile(str(Path(folder) / ROWS), "wb") as file:
            write_arrow(evidence.table(role).to_arrow().take(places), file)
        (Path(folder) / TERMS).mkdir()
        shelf.write((evidence.coding, own_schema(evidence.schema)), Path(folder) / TERMS)
        kind = type(recipe)
        settings = json.loads(json.dumps(recipe.settings()))
        kept = str(keep) if keep is not None and on_device(recipe) else ""
        yield Fitting(folder, kind.__module__, kind.__qualname__, settings, kept)
        _opened.cache_clear()


def class_of(module: str, name: str) -> Any:
    """Return a class of a module by its name there.

    >>> class_of("understudy.measuring.shadow_fit", "Fitting") is Fitting
    True
    """
    kind: Any = importlib.import_module(module)
    for word in name.split("."):
        kind = getattr(kind, word)
    return kind


def on_device(recipe: Synthesizer) -> bool:
    """Say whether a synthesizer trains networks, and on a device: a processor gains nothing by a stack."""
    if not getattr(recipe, "resumable", False) or find_spec("torch") is None:
        return False
    from understudy.engines.training.fit import device_of

    return device_of(str(recipe.settings().get("device", "auto"))).type == "cuda"


def own_schema(schema: Schema) -> Schema:
    """Return what columns are, without what was looked up in rows: each model looks that up in its own half.

    >>> seen = Schema.infer(Table(pa.table({"age": [31, 42, 57]})))
    >>> seen.column("age").bounds.high, own_schema(seen).column("age").bounds
    (57, None)
    """
    return schema.model_copy(update={"columns": tuple(map(_own, schema.columns))})


def _own(column: Column) -> Column:
    said = {part for part, source in column.sources() if source == "declared"}
    return Column(
        name=column.name, kind=column.kind, **{part: getattr(column, part) for part in said}, note=column.note
    )


@lru_cache(maxsize=1)
def _opened(folder: str) -> tuple[pa.Table, Coding, Schema]:
    with pa.OSFile(str(Path(folder) / ROWS)) as file:
        table = pa.ipc.open_file(file).read_all()
    coding, schema = shelf.read(Path(folder) / TERMS)
    return table, coding, schema
