"""What each column of a table is, and where that knowledge comes from.

A schema is public: names and kinds may always be told. Bounds, levels and missing rates
are different, they can be read off private rows, so each carries its *source*:

declared   somebody asserts it from public knowledge; it costs nothing
bought     it was measured through a privacy mechanism, and the ledger has the price
observed   it was looked up in the rows; a private fit will not use it for free
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from understudy.errors import SchemaError, VersionError
from understudy.table.json_text import readable
from understudy.table.paths import as_path
from understudy.table.schema_rules import (
    LEVEL_KINDS,
    TIME_KINDS,
    refuse_unfit_bounds,
    refuse_unfit_parts,
    refuse_unfit_resolution,
    refuse_unfit_rule,
    refuse_unfit_template,
    refuse_unknown_type,
    sort_of,
    without_outdated,
)

__all__ = ["LEVEL_KINDS", "TIME_KINDS", "Bounds", "Column", "Kind", "Levels", "Missing", "Schema", "Source"]

FORMAT: Final = 1
LARGEST_FILE = 64 * 2**20  # bytes; 10^5 columns with a hundred levels each fit many times over

Kind = Literal[
    "numerical", "boolean", "categorical", "ordinal", "datetime", "date", "time", "duration",
    "id", "text", "constant", "all_missing", "ignore",
]  # fmt: skip
Source = Literal["declared", "bought", "observed"]
Value = StrictStr | StrictBool | StrictInt | StrictFloat
Bound = StrictStr | StrictInt | StrictFloat

TimeUnit = Literal["day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@final
class Bounds(_Part):
    """The smallest and largest value: numbers, or ISO text for a time; a decimal may be text to be exact."""

    low: Bound
    high: Bound
    source: Source = "declared"

    @model_validator(mode="after")
    def _in_order(self) -> Bounds:
        if isinstance(self.low, str) is not isinstance(self.high, str):
            raise ValueError("low and high must both be numbers or both be text")
        if not isinstance(self.low, str) and not isinstance(self.high, str) and self.low > self.high:
            raise ValueError("low must not be above high")
        return self


@final
class Levels(_Part):
    """The values a categorical, ordinal, boolean or constant column can take, in order."""

    values: tuple[Value, ...] = Field(min_length=1)
    source: Source = "declared"

    @model_validator(mode="after")
    def _distinct(self) -> Levels:
        sorts = {sort_of(value) for value in self.values}
        if len(sorts) > 1:
            raise ValueError("values must be all text, all numbers, or true and false")
        if len(set(self.values)) != len(self.values):
            raise ValueError("values must be distinct")
        return self


@final
class Missing(_Part):
    """The share of rows in which the column is missing."""

    rate: Annotated[float, Field(ge=0, le=1, strict=True)]
    source: Source = "declared"


@final
class Column(_Part):
    """One column. Whatever is left out is looked up in the rows, or bought, when a model is fitted."""

    name: str = Field(min_length=1, pattern=r"\S")
    kind: Kind
    type: str | None = Field(None, description="Arrow type, as pyarrow prints it, e.g. int64")
    nullable: StrictBool = True
    resolution: Annotated[float, Field(strict=True)] | TimeUnit | None = Field(
        None, description="a power of ten, or a unit of time"
    )
    bounds: Bounds | None = None
    levels: Levels | None = None
    missing: Missing | None = None
    template: str | None = Field(None, description="shape of an id: A a letter, a a small letter, 9 a digit")
    form: dict[str, str] | None = Field(
        None, description="how the cells were written, to write them so again"
    )
    note: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Column:
        if self.type is not None:
            refuse_unknown_type(self.type)
        parts = ("resolution", "bounds", "levels", "template")
        refuse_unfit_parts(self.kind, [part for part in parts if getattr(self, part) is not None])
        refuse_unfit_resolution(self.kind, self.resolution)
        refuse_unfit_template(self.kind, self.template)
        if self.kind == "constant" and self.levels is not None and len(self.levels.values) != 1:
            raise ValueError("a constant column has exactly one level")
        if self.bounds is not None:
            refuse_unfit_bounds(self.kind, self.bounds.low, self.bounds.high)
        return self

    def sources(self) -> Iterator[tuple[str, Source]]:
        """Yield ("bounds", "observed") and the like for every part that has a source."""
        for part in ("bounds", "levels", "missing"):
            value = getattr(self, part)
            if value is not None:
                yield part, value.source


@final
class Schema(_Part):
    """The columns of a table, in order, and the rules that its rows keep.

    >>> schema = Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')
    >>> schema.column("age").kind
    'numerical'
    """

    format: Literal[1] = FORMAT
    columns: tuple[Column, ...] = Field(min_length=1)
    rules: tuple[StrictStr, ...] = Field(
        (), description="what holds in every row, such as net + tax == gross; see schema.md"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Schema:
        first: dict[str, int] = {}
        for place, column in enumerate(self.columns):
            if column.name in first:
                raise ValueError(f"columns.{first[column.name]} and columns.{place} have the same name")
            first[column.name] = place
        kinds = {column.name: column.kind for column in self.columns}
        levels = {c.name: c.levels.values for c in self.columns if c.levels is not None}
        for place, rule in enumerate(self.rules):
            try:
                refuse_unfit_rule(rule, kinds, levels)
            except ValueError as error:
                raise ValueError(f"rules.{place}: {error}") from None
        return self

    @classmethod
    def infer(cls, table: object) -> Schema:
        """Look at the rows of a table, or of anything `read` takes, and say what each column is.

        Every domain is marked observed.
        """
        from understudy.table.infer import infer
        from understudy.table.read import read

        return infer(read(table))

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema file. A part without a `source` is declared: writing it down is the assertion."""
        try:
            with as_path(path, "schema", SchemaError).open("rb") as file:
                raw = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise SchemaError(f"schema: cannot read {str(path)!r} ({error.strerror}).") from None
        return cls.from_json(raw, who=str(path))

    @classmethod
    def from_json(cls, text: str | bytes, who: str = "schema") -> Schema:
        """Read a schema from JSON text; the error names the place, never a value.

        What is marked observed and does not fit the kind of its column is left out, to be looked up again.
        """
        if not isinstance(text, str | bytes):
            raise SchemaError(f"{who}: expected JSON text; got {type(text).__name__}.")
        if len(text) > LARGEST_FILE:
            raise SchemaError(f"{who}: larger than {LARGEST_FILE // 2**20} MiB; this is not a schema.")
        tree = _parse(text, who)
        if isinstance(tree, dict):
            _refuse_format(tree.get("format", FORMAT), who)
            tree.pop("$schema", None)
            tree = _corrected(tree)
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            raise SchemaError(f"{who}: {_first_problem(error)}.") from None

    def to_json(self) -> str:
        """Return readable JSON that `from_json` gives back unchanged."""
        tree = self.model_dump(mode="json", exclude_none=True)
        if not self.rules:
            del tree["rules"]
        return readable(tree, blocks=2)

    def save(self, path: str | Path) -> Path:
        """Write the schema; the file appears whole or not at all."""
        from understudy.table.atomic import write_bytes

        return write_bytes(as_path(path, "schema"), self.to_json().encode())

    def column(self, name: str) -> Column:
        """Return one column by name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(f"schema: there is no column {name!r}.")

    def declare(self) -> Schema:
        """Return the schema with every part marked declared: the caller asserts it is public."""
        return self.model_copy(update={"columns": tuple(_declared(column) for column in self.columns)})

    def observed(self) -> list[tuple[str, str]]:
        """Return (column, part) for everything that was looked up in the rows."""
        return [(c.name, part) for c in self.columns for part, source in c.sources() if source == "observed"]

    def _repr_html_(self) -> str:
        from understudy.table.schema_html import html

        return html(self)


def _declared(column: Column) -> Column:
    parts = {part: getattr(column, part) for part, _ in column.sources()}
    return column.model_copy(
        update={part: value.model_copy(update={"source": "declared"}) for part, value in parts.items()}
    )


def _corrected(tree: dict[str, Any]) -> dict[str, Any]:
    columns = tree.get("columns")
    if not isinstance(columns, list):
        return tree
    return tree | {"columns": [without_outdated(c) if isinstance(c, dict) else c for c in columns]}


def _refuse_format(found: object, who: str) -> None:
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise SchemaError(f"{who}: format: must be the whole number {FORMAT}.")
    if found > FORMAT:
        raise VersionError(f"{who}: its schema format is newer than {FORMAT}; update understudy.")


def _parse(text: str | bytes, who: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_no_repeats)
    except _RepeatedKey as error:
        raise SchemaError(f"{who}: the key {error.args[0]!r} stands twice in one object.") from None
    except (ValueError, RecursionError) as error:
        line = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise SchemaError(f"{who}: not valid JSON{line}.") from None


class _RepeatedKey(Exception):
    """Carries the key out of the JSON hook."""


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in pairs:
        if key in tree:
            raise _RepeatedKey(key)
        tree[key] = value
    return tree


_PLAINLY = {
    "extra_forbidden": "there is no such part in a schema; delete it, or mend its name",
    "missing": "this part is needed",
    "too_short": "this must not be empty",
}


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    place = list(problem["loc"])
    said = _PLAINLY.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    # pydantic tries each sort of value in turn and speaks of the first; whoever wrote the file meant another.
    if place and str(place[-1]) in {"str", "bool", "int", "float"}:
        place.pop()
        said = (
            "a power of ten or a unit of time"
            if place[-1] == "resolution"
            else "text, a number or a truth value"
        )
        said = f"must be {said}"
    return f"{'.'.join(str(part) for part in place) or 'the whole file'}: {said}"
