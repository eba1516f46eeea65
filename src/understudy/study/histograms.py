"""Columns as bars: shares of synthetic rows in cells that the synthetic table alone gives, real ones beside.

What may leave is made of synthetic rows only. Cells of quantities end at round numbers, whatever values there
are, and the outermost reach to infinity; a level is named only if ten synthetic rows have it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.binning import bin_cells
from understudy.report.dossier import Histogram
from understudy.study.ticks import Ticks, ticks_of
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["FEWEST", "histograms"]

FEWEST = 10  # rows of a cell that is shown
MOST_LEVELS = 12
MISSING = "missing"
OTHERS = "other"
Counts = npt.NDArray[np.int64]


def histograms(evidence: Evidence) -> tuple[Histogram, ...]:
    """Return the bars of every judged column.

    >>> table = pa.table({"sex": ["F"] * 30 + ["M"] * 20 + ["X"] * 3})
    >>> [bars] = histograms(Evidence(train=table, synthetic=table))
    >>> bars.labels, round(bars.hidden, 3)
    (('F', 'M'), 0.057)
    """
    synthetic, train = evidence.coded("synthetic"), evidence.coded("train")
    return tuple(
        _of_quantity(evidence, column.name, synthetic, train)
        if column.quantity
        else _of_levels(evidence, column.name, synthetic, train)
        for column in synthetic.domain
    )


def _of_quantity(evidence: Evidence, name: str, synthetic: CodedTable, train: CodedTable) -> Histogram:
    unit = evidence.coding.units[name]
    ticks = ticks_of(synthetic[name] / unit, _type(evidence, name))
    made, real = (
        np.bincount(bin_cells(table[name] / unit, ticks.edges), minlength=len(ticks.edges) + 2)
        for table in (synthetic, train)
    )
    return _bars(name, [MISSING, *_between(ticks)], made, real, numeric=True)


def _of_levels(evidence: Evidence, name: str, synthetic: CodedTable, train: CodedTable) -> Histogram:
    labels = evidence.coding.levels[name].cast(pa.large_string()).to_pylist()
    made, real = (np.bincount(table[name] + 1, minlength=len(labels) + 1) for table in (synthetic, train))
    common = np.argsort(-made[1:], kind="stable")[:MOST_LEVELS] + 1
    # In the order of the schema, which says something where levels are ordered.
    named = np.sort(common[made[common] >= FEWEST])
    cells = [MISSING, *(str(labels[place - 1]) for place in named), OTHERS]
    counts = [
        np.concatenate([each[:1], each[named], [each[1:].sum() - each[named].sum()]]) for each in (made, real)
    ]
    return _bars(name, cells, counts[0], counts[1], numeric=False)


def _bars(name: str, labels: list[str], made: Counts, real: Counts, *, numeric: bool) -> Histogram:
    """Return the bars of the cells that enough synthetic rows are in."""
    kept = np.flatnonzero(made >= FEWEST)
    total, all_real = max(1, int(made.sum())), max(1, int(real.sum()))
    return Histogram(
        name,
        tuple(labels[place] for place in kept),
        tuple((made[kept] / total).tolist()),
        tuple((real[kept] / all_real).tolist()),
        hidden=1 - float(made[kept].sum()) / total,
        numeric=numeric,
    )


def _between(ticks: Ticks) -> list[str]:
    """Return what each cell of a quantity is called."""
    names = ticks.names
    if not names:
        return ["all"]
    inner = [f"{low} to {high}" for low, high in pairwise(names)]
    return [f"up to {names[0]}", *inner, f"above {names[-1]}"]


def _type(evidence: Evidence, name: str) -> str:
    (found,) = (column.type for column in evidence.coding.columns if column.name == name)
    assert found is not None, "a coding knows the type of every column"
    return found
