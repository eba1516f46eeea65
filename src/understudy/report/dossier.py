"""The dossier: everything that a report is drawn from, gathered before anything is drawn.

It holds results, certificates, verdicts and figures that were counted elsewhere: no table, no row, no cell of
a real one. What only those may see who may see the rows is marked `confidential`, and `shared` returns the
dossier without it: a page made of that cannot show what it was never given.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, final

from understudy.privacy.certificate import Certificate
from understudy.result import Result

__all__ = [
    "Candidate",
    "Column",
    "Dossier",
    "Grid",
    "Group",
    "Histogram",
    "Line",
    "Points",
    "Record",
    "Standing",
    "Subject",
    "Verdict",
]

Verdict = Literal["kept", "unsure", "broken", "not judged"]
Standing = Literal["passes", "undecided", "refused"]


@final
@dataclass(frozen=True)
class Line:
    """One line of a policy: what it asks, what was found, the verdict, and why and by whom it is asked.

    kept        the whole interval keeps the limit
    unsure      the limit lies inside the interval; of a guarantee: nothing is proven, or too little
    broken      the whole interval lies beyond the limit
    not judged  it could not be measured; `found` says why
    """

    what: str
    asks: str
    found: str
    verdict: Verdict
    source: str = ""
    reason: str = ""


@final
@dataclass(frozen=True)
class Column:
    """A line of the data dictionary; `domain` is empty where it was neither declared nor bought."""

    name: str
    kind: str
    origin: str
    domain: str = ""
    judged: bool = True


@final
@dataclass(frozen=True)
class Histogram:
    """Shares of the rows in each cell of a column; `real` is there for those only who may see the rows.

    Cells of fewer than ten synthetic rows have no bar; `hidden` is the share of rows in all of them.
    """

    column: str
    labels: tuple[str, ...]
    synthetic: tuple[float, ...]
    real: tuple[float, ...] | None = None
    hidden: float = 0.0
    numeric: bool = False


@final
@dataclass(frozen=True)
class Grid:
    """A square of numbers between columns, NaN where there is none; `limit` is the end of its colours."""

    title: str
    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    limit: float
    signed: bool
    confidential: bool


@final
@dataclass(frozen=True)
class Points:
    """Clouds of points on a plane, by their labels."""

    title: str
    clouds: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    confidential: bool


@final
@dataclass(frozen=True)
class Group:
    """Rows of one level or part of a column, and how well an attack tells members among them from others.

    `lift` is their part of the records that it is surest of, over their part of all; `label` a real level.
    """

    column: str
    label: str
    attack: str
    members: int
    auroc: float
    low: float
    high: float
    lift: float
    lift_low: float
    lift_high: float


@final
@dataclass(frozen=True)
class Record:
    """A training row at risk: its id, its place in the table, the attacks that point at it, its mean rank."""

    id: str
    place: int
    attacks: tuple[str, ...]
    rank: float


@final
@dataclass(frozen=True)
class Candidate:
    """One synthetic table, and everything that was found about it.

    `recipe` says how it was made as far as that is known. `records` and `groups` are confidential, and so is
    whatever per-record score a result has. `claim_stands` is false where the certificate covers another file
    or an attack refuted it: then nothing may be said in its name.
    """

    name: str
    rows: int
    digest: str
    results: tuple[Result, ...]
    lines: tuple[Line, ...]
    certificate: Certificate | None = None
    recipe: str = ""
    histograms: tuple[Histogram, ...] = ()
    grids: tuple[Grid, ...] = ()
    planes: tuple[Points, ...] = ()
    groups: tuple[Group, ...] = ()
    records: tuple[Record, ...] = ()
    findings: tuple[str, ...] = ()
    claim_stands: bool = True

    @property
    def standing(self) -> Standing:
        """What the lines amount to: one that is broken refuses, one not surely kept leaves it open.

        Without a line nothing was asked, and nothing is decided.
        """
        verdicts = {line.verdict for line in self.lines}
        if "broken" in verdicts:
            return "refused"
        return "passes" if verdicts == {"kept"} else "undecided"

    def shared(self) -> Candidate:
        """Return what may leave of it."""
        return replace(
            self,
            results=tuple(replace(result, per_record=None) for result in self.results),
            histograms=tuple(replace(each, real=None) for each in self.histograms),
            grids=tuple(each for each in self.grids if not each.confidential),
            planes=tuple(each for each in self.planes if not each.confidential),
            groups=(),
            records=(),
        )


@final
@dataclass(frozen=True)
class Subject:
    """A table that was looked at: its role, its name, and, confidential if it is real, rows and digest."""

    role: str
    name: str
    rows: int | None = None
    digest: str = ""


@final
@dataclass(frozen=True)
class Dossier:
    """An audit, ready to be drawn: what was asked, what was looked at, by what, and the candidates."""

    title: str
    made: str
    level: str
    seed: int
    policy: str
    subjects: tuple[Subject, ...]
    columns: tuple[Column, ...]
    candidates: tuple[Candidate, ...]
    versions: dict[str, str] = field(default_factory=dict)
    hardware: dict[str, str] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    seconds: float = 0.0
    confidential: bool = True

    @property
    def standing(self) -> Standing:
        """The verdict: of several candidates, that of the best one, for whoever takes one of them."""
        return self._first(("passes", "undecided", "refused"))

    @property
    def worst(self) -> Standing:
        """The verdict that holds of every candidate: that of the worst, for a title over all of them."""
        return self._first(("refused", "undecided", "passes"))

    def _first(self, order: tuple[Standing, ...]) -> Standing:
        found = {candidate.standing for candidate in self.candidates}
        return next((standing for standing in order if standing in found), "undecided")

    def shared(self) -> Dossier:
        """Return what may leave: no per-record score, no count or figure of real rows, no name of a level."""
        return replace(
            self,
            subjects=tuple(
                each if each.role == "synthetic" else replace(each, name="", rows=None, digest="")
                for each in self.subjects
            ),
            candidates=tuple(each.shared() for each in self.candidates),
            confidential=False,
        )
