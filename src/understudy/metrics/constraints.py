"""Constraints: do synthetic rows keep what the schema declares?

The rules of the schema (docs/reference/schema.md), and what it declares of single columns: bounds, levels,
that no cell is missing, the resolution. The value is the share of synthetic rows that break any of them, the
parts are the shares that break each, and the null is the share among the training rows. What inference only
observed in the rows is no declaration: a fresh sample of the same law would break it too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import clopper_pearson
from understudy.measuring.measure import Level, Measure
from understudy.table.declared import declarations
from understudy.table.evidence import Evidence
from understudy.table.rule import Rule
from understudy.table.rules import broken_rows, rules_of
from understudy.table.schema import Schema

__all__ = ["Constraints"]

Mask = npt.NDArray[np.bool_]
_NOTHING = "undefined: the schema declares no rule, bound, level or resolution; give one to Evidence"


@final
@dataclass(frozen=True)
class Constraints(Measure):
    """Share of synthetic rows that break a declared rule, bound, level or resolution; 0 is best.

    The interval is exact (Clopper and Pearson). Parts: `rule 1` and so on in the order of the schema,
    `age bounds`, `age levels`, `age missing`, `age resolution`; levels are never named.

    >>> from understudy.table.evidence import Evidence
    >>> schema = Schema.from_json('{"columns": [{"name": "a", "kind": "numerical"}], "rules": ["a >= 0"]}')
    >>> real, fake = pa.table({"a": [0.5, 1.5, 2.5]}), pa.table({"a": [1.0, -1.0, 2.0, 3.0]})
    >>> Constraints()(Evidence(train=real, synthetic=fake, schema=schema)).value
    0.25
    """

    level: ClassVar[Level] = "quick"

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Count the rows that break anything."""
        tests = _tests(evidence.schema)
        synthetic, train = (evidence.table(role).to_arrow() for role in ("synthetic", "train"))
        rows = synthetic.num_rows
        if not tests:
            nan = float("nan")
            return Finding(Score(nan), nan, nan, nan, rows, (_NOTHING,))
        masks = {name: test(synthetic) for name, test in tests.items()}
        broken = int(np.logical_or.reduce(list(masks.values())).sum())
        low, high = clopper_pearson(broken, rows)
        null = np.logical_or.reduce([test(train) for test in tests.values()]).mean()
        parts = {name: float(mask.mean()) for name, mask in masks.items()}
        notes = _said_of_null(float(null))
        return Finding(Score(broken / rows, parts), low, high, float(null), rows, notes)


def _tests(schema: Schema) -> dict[str, Callable[[pa.Table], Mask]]:
    """Return what to test, under the name of its part."""
    tests = {
        f"rule {place}": _rule_test(rule, schema) for place, rule in enumerate(rules_of(schema), start=1)
    }
    return tests | {f"{name} {part}": broken for name, part, broken in declarations(schema)}


def _rule_test(rule: Rule, schema: Schema) -> Callable[[pa.Table], Mask]:
    return lambda table: broken_rows(rule, table, schema)


def _said_of_null(null: float) -> tuple[str, ...]:
    return (f"{null:.2%} of the training rows break a declaration themselves",) if null else ()
