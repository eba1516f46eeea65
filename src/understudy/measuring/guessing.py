"""Attacks that guess (Art. 29 working party 2014; Giomi et al. 2023): three runs each, one risk.

Every such attack is run on training rows, on holdout rows as its control, and naively: with guesses that need
no knowledge. The value is the risk R of paper 000; a table that never saw the training rows has 0. Without a
holdout it is the bare rate of right guesses and its null the naive rate; a note says so.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.measuring.canonical import ordered
from understudy.measuring.finding import Finding, Score
from understudy.measuring.measure import Measure
from understudy.measuring.risk import Risk, Runs, control_rate, pooled, rate_of, risk_of
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["Guessed", "GuessingAttack", "Targets", "drawn", "in_order", "scored"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Guessed:
    """The runs of every way an attack was tried, by name, and what is to be said of them.

    Runs `beside` are told in the parts, and are no part of the value. `each` is how much was learned of each
    training row, by its place in the table; NaN for rows that were no targets.
    """

    runs: Mapping[str, Runs]
    notes: tuple[str, ...] = ()
    beside: Mapping[str, Runs] = field(default_factory=dict)
    each: Floats | None = None


@dataclass(frozen=True)
class GuessingAttack(Measure):
    """Right guesses on training rows beyond those on rows never learned from.

    attacks   guesses that are wanted of each run; the rates are those of the guesses that were made
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    sees: ClassVar[tuple[Role, ...]] = ("synthetic",)

    attacks: int = check.integer(1_000, low=1, high=10_000_000)

    @abstractmethod
    def guess(self, evidence: Evidence, rng: np.random.Generator) -> Guessed:
        """Run the attack in every way it has; each name of a run is part of the names of the parts."""

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Return the risk of all ways together, and in the parts what each of them found."""
        guessed = self.guess(evidence, rng)
        made = {name: runs for name, runs in guessed.runs.items() if not math.isnan(risk_of(runs).raw)}
        control = evidence.has("holdout")
        if not made:
            notes = guessed.notes or ("undefined: no guess could be made",)
            return Finding(Score(math.nan), math.nan, math.nan, 0.0 if control else math.nan, 0, notes)
        whole = pooled(guessed.runs.values())
        value, low, high = whole.cut()
        return Finding(
            Score(
                value,
                {**_summary(whole, made, len(guessed.runs)), **_parts({**guessed.beside, **guessed.runs})},
            ),
            low,
            high,
            0.0 if control else _mean_rate(made, "naive"),
            sum(runs.main.guesses for runs in made.values()),
            (*guessed.notes, *_notes(made, control=control)),
            None if guessed.each is None else tuple(guessed.each.tolist()),
        )


@final
@dataclass(frozen=True, eq=False)
class Targets:
    """Rows of a table in canonical form, and where they stand in the table as it was given."""

    rows: CodedTable
    places: Places


def drawn(evidence: Evidence, role: Role, most: int, rng: np.random.Generator) -> Targets:
    """Draw at most so many rows, each at most once; all of them in their order if there are no more."""
    table, places = _ordered(evidence, role)
    if most >= len(table):
        return Targets(table, places)
    some = np.sort(rng.choice(len(table), most, replace=False))
    return Targets(table.take(some), places[some])


def scored(evidence: Evidence, places: Places, scores: npt.ArrayLike) -> Floats:
    """Return scores by the place of their rows in the training table; NaN elsewhere."""
    each = np.full(len(evidence.coded("train")), np.nan)
    each[places] = scores
    return each


def in_order(evidence: Evidence, role: Role) -> CodedTable:
    """Return a table in canonical form, so that no draw depends on the order of rows, columns or codes."""
    return _ordered(evidence, role)[0]


def _ordered(evidence: Evidence, role: Role) -> tuple[CodedTable, Places]:
    roles: tuple[Role, ...] = tuple(r for r in ("synthetic", "train", "holdout") if evidence.has(r))
    tables = evidence.cached(
        ("canonical", *roles),
        lambda: dict(zip(roles, ordered([evidence.coded(r) for r in roles]), strict=True)),
    )
    return tables[role]


def _summary(whole: Risk, made: Mapping[str, Runs], tried: int) -> dict[str, float]:
    found = {"raw": whole.raw, "raw_low": whole.low, "raw_high": whole.high}
    found |= {run: _mean_rate(made, run) for run in ("main", "naive")}
    if all(runs.control is not None for runs in made.values()):
        found["control"] = _mean_rate(made, "control")
    return found | {"coverage": len(made) / tried}


def _mean_rate(made: Mapping[str, Runs], run: str) -> float:
    """Return the mean rate of a run; a control's is that for the size of the training table."""
    rates = [
        control_rate(runs) if run == "control" else rate_of(getattr(runs, run)) for runs in made.values()
    ]
    return float(np.mean([rate.value for rate in rates if rate is not None]))


def _parts(all_runs: Mapping[str, Runs]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, runs in all_runs.items():
        ends = dict(zip(("raw", "low", "high"), risk_of(runs), strict=True))
        found |= {f"{name}.{end}": value for end, value in ends.items()}
        for run in ("main", "naive", "control"):
            if (tries := getattr(runs, run)) is not None:
                found[f"{name}.{run}"] = rate_of(tries).value
                found[f"{name}.{run}_hits"] = float(tries.hits)
                found[f"{name}.{run}_guesses"] = float(tries.guesses)
    return found


def _notes(made: Mapping[str, Runs], *, control: bool) -> tuple[str, ...]:
    said = []
    if not control:
        said.append(
            "no holdout: the value is the bare rate of right guesses, and the null that of naive ones; what "
            "the population tells about everybody counts as risk"
        )
    weak = [name for name, runs in made.items() if not rate_of(runs.main).value > rate_of(runs.naive).value]
    if weak:
        said.append(
            f"naive guesses did as well as the attack ({', '.join(weak[:5])}{', ...' if weak[5:] else ''}): "
            "it failed there, and a low risk is no sign of safety"
        )
    return tuple(said)
