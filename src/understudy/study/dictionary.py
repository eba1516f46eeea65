"""The data dictionary: what each column is, and where its bounds and levels come from.

A domain is written out only where it was declared or bought. What was looked up in the rows stays there.
"""

from __future__ import annotations

from understudy.privacy.certificate import Certificate
from understudy.report.dossier import Column
from understudy.table.evidence import Evidence
from understudy.table.schema import Column as SchemaColumn

__all__ = ["dictionary"]

_MOST_LEVELS = 20


def dictionary(evidence: Evidence, certificate: Certificate | None) -> tuple[Column, ...]:
    """Return a line for each column of the evidence.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [31, 42], "sex": ["F", "M"]})
    >>> [(c.name, c.kind) for c in dictionary(Evidence(train=table, synthetic=table), None)]
    [('age', 'numerical'), ('sex', 'categorical')]
    """
    left_out = set(evidence.coding.left_out)
    return tuple(
        Column(
            column.name,
            column.kind,
            _origin(column, certificate),
            _domain(column),
            judged=column.name not in left_out,
        )
        for column in evidence.schema.columns
    )


def _origin(column: SchemaColumn, certificate: Certificate | None) -> str:
    said = [f"{part} {source}" for part, source in column.sources() if source != "observed"]
    if said:
        return ", ".join(said)
    if certificate is None:
        return "looked up in the rows; not shown"
    if vouched := certificate.declared.get(column.name):
        return f"declared: {vouched}"
    reads = [e for e in certificate.entries if e.phase == "schema" and column.name in e.columns]
    if any(entry.infinite for entry in reads):
        return "looked up in the rows; not shown"
    return "bought within the budget" if reads else "names and kinds alone"


def _domain(column: SchemaColumn) -> str:
    bounds, levels = column.bounds, column.levels
    if bounds is not None and bounds.source != "observed":
        return f"{bounds.low} to {bounds.high}"
    if levels is not None and levels.source != "observed":
        shown = ", ".join(str(value) for value in levels.values[:_MOST_LEVELS])
        return shown if len(levels.values) <= _MOST_LEVELS else f"{shown}, ... ({len(levels.values)})"
    return ""
