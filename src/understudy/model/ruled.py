"""Drawn columns under the rules of a schema: which rows break which, before they become a table.

Rules may speak of columns that no method draws: of a constant or an id, whether it is missing. Such a column
joins the drawn ones as codes, 0 where it is there and -1 where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.condition import Conditions, accepted
from understudy.errors import SchemaError
from understudy.model.legal import Legal
from understudy.rng import stream
from understudy.table.columns import from_columns
from understudy.table.rule import Comparison, Condition, Implies, IsMissing, Rule
from understudy.table.rules import broken_rows, rules_of
from understudy.table.schema import Column, Schema

__all__ = ["Ruled", "refuse_unkeepable_rules"]

Columns = dict[str, npt.NDArray[Any]]
Mask = npt.NDArray[np.bool_]

_TEXT = {"string", "large_string", "string_view"}


@final
@dataclass(frozen=True, eq=False)
class Ruled:
    """The rules, the columns they speak of, and what is legal in each of these."""

    rules: tuple[Rule, ...]
    schema: Schema
    legal: dict[str, Legal]
    conditions: Conditions

    @classmethod
    def of(cls, schema: Schema, conditions: Conditions) -> Ruled:
        """Return the rules of a completed schema, and what they and the conditions leave open."""
        rules = rules_of(schema)
        named = {name for rule in rules for name in rule.columns}
        columns = tuple(column for column in schema.columns if column.name in named)
        legal = {
            column.name: Legal.of(column, conditions.get(column.name))
            for column in columns
            if column.kind != "all_missing"
        }
        # Without any rule there is nothing to look at, and a schema needs a column.
        kept = schema.model_copy(update={"columns": columns or schema.columns[:1], "rules": ()})
        return cls(rules, kept, legal, conditions)

    def completed(self, drawn: Columns, rows: int, rng: np.random.Generator) -> Columns:
        """Return the drawn columns with holes chosen for the constants and ids that rules speak of."""
        added = {
            name: _holes(each.column, rows, rng) for name, each in self.legal.items() if name not in drawn
        }
        return {**drawn, **added}

    def broken(self, rule: Rule, columns: Columns) -> Mask:
        """Return which rows break a rule."""
        rows = len(columns[rule.columns[0]]) if rule.columns[0] in columns else _rows(columns)
        wanted = tuple(column for column in self.schema.columns if column.name in rule.columns)
        ids = [column.name for column in wanted if column.kind == "id"]
        plain = tuple(column for column in wanted if column.kind != "id")
        table = pa.table({name: pa.array(columns[name], mask=columns[name] < 0) for name in ids})
        if plain:
            made = from_columns(
                columns, self.schema.model_copy(update={"columns": plain}), rows, stream(0, "rules")
            )
            for name in ids:
                made = made.append_column(name, table.column(name))
            table = made
        return broken_rows(rule, table, self.schema)

    def kept(self, columns: Columns) -> Mask:
        """Return which rows keep all rules and conditions."""
        good = accepted(columns, self.conditions, _rows(columns))
        for rule in self.rules:
            good &= ~self.broken(rule, columns)
        return good


def refuse_unkeepable_rules(schema: object, types: pa.Schema) -> None:
    """Refuse rules that no fit can keep, before anything is read or paid for.

    >>> schema = Schema.from_json('{"columns": [{"name": "key", "kind": "id"}], "rules": ["key == 7"]}')
    >>> refuse_unkeepable_rules(schema, pa.schema({"key": pa.int64()}))
    Traceback (most recent call last):
    understudy.errors.SchemaError: rule 1: column 'key' is an id, and ids are made anew; ask only whether it \
is missing, or take another kind.
    """
    if not isinstance(schema, Schema):
        return  # whatever else it is, a fit refuses by itself
    for place, rule in enumerate(rules_of(schema), start=1):
        for part in (rule.condition, rule.consequence) if isinstance(rule, Implies) else (rule,):
            for name in part.columns:
                _refuse_part(part, schema.column(name), types, f"rule {place}: column {name!r}")
        if isinstance(rule, IsMissing) and not rule.missing:
            _refuse_nothing(schema.column(rule.column), f"rule {place}: column {rule.column!r}")


def _refuse_part(part: Condition, column: Column, types: pa.Schema, who: str) -> None:
    if isinstance(part, IsMissing):
        return
    if column.kind == "id":
        raise SchemaError(
            f"{who} is an id, and ids are made anew; ask only whether it is missing, or take another kind."
        )
    if isinstance(part, Comparison):
        _refuse_words(column, types, who)


def _refuse_nothing(column: Column, who: str) -> None:
    if column.kind == "all_missing":
        raise SchemaError(f"{who} is said to be all missing, and never to be; change one of them.")


def _refuse_words(column: Column, types: pa.Schema, who: str) -> None:
    """Refuse a comparison of numbers with words, unless the schema states the words and all are numbers."""
    kind = column.type or (str(types.field(column.name).type) if column.name in types.names else "")
    if not any(text in kind for text in _TEXT):
        return
    words = column.levels.values if column.levels is not None else ("",)
    if not all(_is_number(str(word)) for word in words):
        raise SchemaError(f"{who} holds words, which cannot be summed or compared with numbers.")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _holes(column: Column, rows: int, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    rate = 0.0 if column.missing is None or not column.nullable else column.missing.rate
    return np.where(rng.random(rows) < rate, -1, 0).astype(np.int32)


def _rows(columns: Columns) -> int:
    return len(next(iter(columns.values()), ()))
