"""Who is copied: the risk of each group of a column (paper 001, section 5.3).

Two questions, two answers. How well can members of a group be told from other people of the same group: the
area under the ROC curve of the group alone. And who is among the records that an attack is surest of: the
group's share of the top, over its share of all that were judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from understudy.engines.binning import bin_cells, quantile_edges
from understudy.errors import ParameterError
from understudy.measuring.at_risk import top
from understudy.measuring.interval import clopper_pearson, delong
from understudy.measuring.membership import Floats, Membership, Targets
from understudy.rng import seed_of, stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["GroupAtRisk", "Scored", "groups_at_risk", "groups_of", "scored"]

_PARTS = 4  # of a quantity


@final
@dataclass(frozen=True)
class GroupAtRisk:
    """One group: its members among the targets, how well they are told, and its part in the top.

    `code` is the place of a level in the schema's order or of the part of a quantity, from the least, -1
    where the cell is missing. A quantity has about four parts of equal size; a value that fills one by itself
    is one. `lift` is the share of the top that is of this group, over its share of all members:
    1 if nobody is singled out more than others.
    """

    column: str
    code: int
    members: int
    auroc: float
    low: float
    high: float
    lift: float
    lift_low: float
    lift_high: float


def groups_at_risk(
    attack: Membership, evidence: Evidence, column: str, *, seed: int = 0, share: float = 0.01
) -> list[GroupAtRisk]:
    """Attack, and return what it finds in each group of a column, by code.

    The interval of the lift is that of the group's share of the top (Clopper-Pearson): the group's share of
    all members is taken as given. A group that has no row in the holdout has an AUROC of NaN.

    >>> import pyarrow as pa
    >>> from understudy.attacks.gan_leaks import GANLeaks
    >>> rng = np.random.default_rng(0)
    >>> real = pa.table({"x": rng.normal(size=80), "who": ["a", "b"] * 40})
    >>> other = pa.table({"x": rng.normal(size=80), "who": ["a", "b"] * 40})
    >>> shown = Evidence(train=real, holdout=other, synthetic=real)
    >>> [(group.members, group.auroc) for group in groups_at_risk(GANLeaks(), shown, "who")]
    [(40, 1.0), (40, 1.0)]
    """
    return groups_of(scored(attack, evidence, seed), column, share)


@final
class Scored(NamedTuple):
    """Targets, members first, of which so many are members, and the score of each."""

    rows: CodedTable
    size: int
    scores: Floats


def scored(attack: Membership, evidence: Evidence, seed: int = 0) -> Scored:
    """Attack once; the groups of any column follow from it."""
    if not evidence.has("holdout"):
        raise ParameterError("groups at risk: a holdout table is needed; give evidence that has one.")
    rng = stream(seed, attack.title())
    drawn = Targets.of(evidence, attack.targets, seed_of(rng))
    rows = drawn.rows
    return Scored(rows, drawn.size, attack.accuse(rows, evidence, rng))


def groups_of(found: Scored, column: str, share: float = 0.01) -> list[GroupAtRisk]:
    """Return what an attack found in each group of a column, by code."""
    rows, size, scores = found
    codes = _codes(rows, column, size)
    members, others = np.arange(len(rows)) < size, np.arange(len(rows)) >= size
    above = top(scores[members], share)
    groups = []
    for code in np.unique(codes[members]):
        group = codes == code
        value, (low, high) = _auroc(scores[group & members], scores[group & others])
        lift = _lift(above, codes[members] == code)
        groups.append(GroupAtRisk(column, int(code), int((group & members).sum()), value, low, high, *lift))
    return groups


def _codes(rows: CodedTable, name: str, members: int) -> npt.NDArray[np.int64]:
    """Return the group of each row: levels as they are, quantities by quantiles of the members' values."""
    kind = rows.column(name)
    values = rows[name]
    if not kind.quantity:
        return values.astype(np.int64)
    return bin_cells(values, quantile_edges(values[:members], _PARTS)) - 1


def _auroc(members: Floats, others: Floats) -> tuple[float, tuple[float, float]]:
    if not len(members) or not len(others):
        return float("nan"), (float("nan"), float("nan"))
    return delong(members, others)


def _lift(above: npt.NDArray[np.bool_], group: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the group's share of the top over its share of all, with its interval."""
    tops = int(above.sum())
    if not tops:
        return float("nan"), float("nan"), float("nan")
    mine, base = int((above & group).sum()), float(group.mean())
    low, high = clopper_pearson(mine, tops)
    return mine / tops / base, low / base, high / base
