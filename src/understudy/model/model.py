"""A fitted model: it samples, saves, and carries its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.condition import Conditions, accepted
from understudy.errors import MissingExtra, NothingMatches, ParameterError
from understudy.model.charged import about_rows, pay, refuse_conditions
from understudy.model.obeying import obey
from understudy.model.ruled import Ruled
from understudy.model.sampler import Columns, Sampler
from understudy.model.where import parse_where
from understudy.model.where_reach import pointed
from understudy.privacy import Certificate
from understudy.rng import stream
from understudy.table.columns import from_columns
from understudy.table.schema import Schema
from understudy.table.spelled import in_words
from understudy.table.table import Table
from understudy.version import TOOL

if TYPE_CHECKING:
    from understudy.table.frames import Frame

__all__ = ["Model"]

MOST_ROWS = 10**10
FEWEST_TRIES = 200_000
TRIAL_ROWS, TRIAL_CELLS = 1_000, 100_000  # enough to meet rare levels, and quick for wide tables too
FEW_ROWS = 20  # where there are ids: a narrow type has no more of them than it has values
TRIES_PER_ROW = 1_000


@final
class Model:
    """What `Recipe.fit` returns. There is no such thing as a model that is not fitted."""

    __slots__ = ("frame", "recipe", "sampler", "schema", "settings", "whole")

    def __init__(
        self,
        recipe: str,
        settings: Mapping[str, Any],
        schema: Schema,
        sampler: Sampler,
        certificate: Certificate,
        *,
        frame: Frame | None = None,
    ) -> None:
        self.recipe = recipe
        self.settings = dict(settings)
        self.schema = schema
        self.sampler = sampler
        self.whole = certificate
        self.frame = frame

    def __repr__(self) -> str:
        columns = len(self.schema.columns)
        return f"Model({self.recipe}, {columns} columns, certificate: {self.certificate.status})"

    @property
    def certificate(self) -> Certificate:
        """What the rows drawn so far, and those paid for ahead, reveal.

        `whole` also covers the model's own files; it differs only for a sampler that charges for draws.
        """
        return about_rows(self.whole, self.sampler)

    def sample(self, rows: int, seed: int = 0, where: Mapping[str, Any] | None = None) -> Any:
        """Return so many synthetic rows, in the kind of frame that was fitted.

        `where` asks for rows that satisfy conditions: exactly where the method can, by drawing
        until enough rows match otherwise. Where draws cost, this pays, and `certificate` grows.
        """
        table = self.sample_table(rows, seed, where)
        return table if self.frame is None else self.frame.restore(table.to_arrow())

    def sample_table(self, rows: int, seed: int = 0, where: Mapping[str, Any] | None = None) -> Table:
        """Return so many synthetic rows as a Table, whatever was fitted."""
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or not 0 <= rows <= MOST_ROWS:
            raise ParameterError(
                f"sample: rows must be a whole number from 0 to {MOST_ROWS:,}; got {rows!r}."
            )
        conditions = parse_where(where, self.schema)
        if conditions:
            refuse_conditions(self.sampler)
        rng = stream(seed, "sample")
        self.whole, self.sampler = pay(self.whole, self.sampler, int(rows))
        columns = self._conditioned(int(rows), rng, conditions)
        arrow = from_columns(columns, self.schema, int(rows), stream(seed, "ids"))
        return Table(_marked(in_words(arrow), self.recipe))

    def impute(self, frame: object, seed: int = 0) -> Any:
        """Return the frame with its missing cells filled in, drawn given the other cells of their rows.

        Rows stay in order and cells that are there stay as they are; so the result is as private as `frame`.
        A frame comes back as the same kind of frame, a path or a Table as a Table.
        """
        from understudy.model.imputing import impute_frame

        return impute_frame(frame, self.schema, self.sampler, seed)

    def log_density(self, frame: object) -> npt.NDArray[np.float64]:
        """Return the exact log-density of every row of a frame, where the method has one (`arf`, `nflow`).

        It looks at rows of the caller's own: the result is as private as they are.
        """
        from understudy.model.density import log_density_of

        return log_density_of(frame, self.schema, self.sampler)

    def try_out(self) -> None:
        """Draw rows and throw them away: they show that the parts belong together, and nobody sees them."""
        most = FEW_ROWS if any(column.kind == "id" for column in self.schema.columns) else TRIAL_ROWS
        rows = min(most, 1 + TRIAL_CELLS // len(self.schema.columns))
        columns = self._draw(rows, stream(0, "sample"), {})
        arrow = in_words(from_columns(columns, self.schema, rows, stream(0, "ids")))
        arrow.validate(full=True)
        if self.frame is not None:
            with suppress(MissingExtra):  # whoever asks for such a frame is told what to install
                self.frame.restore(arrow)

    def save(self, path: str | Path) -> Path:
        """Write the model into a folder of its own: safetensors and JSON, never pickle."""
        from understudy.model.store import save

        return save(self, path)

    def _conditioned(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw rows; conditions that cannot be met are refused, of no rows too."""
        try:
            if rows or not conditions:
                return self._obedient(rows, rng, conditions)
            one = self._obedient(1, rng, conditions)
        except NothingMatches as refused:
            raise pointed(refused, self.schema, conditions) from None
        return {name: values[:0] for name, values in one.items()}

    def _obedient(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw rows that keep the rules of the schema; where rows are paid for, none is drawn again."""
        if not self.schema.rules or rows == 0:
            return self._draw(rows, rng, conditions)
        ruled = Ruled.of(self.schema, conditions)
        sampler = self.sampler.avoiding(self.schema)
        free = self.sampler.charge(1) is None
        return obey(lambda size: _drawn(sampler, size, rng, conditions), rows, ruled, rng, again=free).columns

    def _draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        if rows == 0:
            return {name: values[:0] for name, values in self.sampler.draw(1, rng, {}).items()}
        return _drawn(self.sampler, rows, rng, conditions)


def _drawn(sampler: Sampler, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
    if not conditions or sampler.conditional:
        return sampler.draw(rows, rng, conditions)
    return _rejection(sampler, rows, rng, conditions)


def _rejection(sampler: Sampler, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
    """Draw until enough rows match; stop when none does, or when so few do that it would never end."""
    most, tries, count, batch = TRIES_PER_ROW * rows, 0, 0, max(2 * rows, 1_000)
    parts: list[Columns] = []
    while count < rows:
        if tries >= FEWEST_TRIES and (count == 0 or tries >= most):
            raise NothingMatches(
                f"where: {count:,} of {rows:,} rows matched in {tries:,} drawn; "
                "loosen the conditions or ask for fewer rows."
            )
        drawn = sampler.draw(batch, rng, {})
        good = accepted(drawn, conditions, batch)
        parts.append({name: values[good] for name, values in drawn.items()})
        count, tries, batch = count + int(good.sum()), tries + batch, min(2 * batch, 1_000_000)
    return {name: np.concatenate([part[name] for part in parts])[:rows] for name in parts[0]}


def _marked(arrow: pa.Table, recipe: str) -> pa.Table:
    """Say inside the table that it is synthetic; Parquet and Arrow files carry the mark."""
    return arrow.replace_schema_metadata({"understudy.synthetic": f"{recipe}, {TOOL}"})
