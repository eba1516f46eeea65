"""Singling out: what is true of exactly one synthetic row, is it true of exactly one training row?

An attack of the Article 29 working party (2014), after Giomi et al. (2023) and paper 000: the adversary makes
predicates that match one synthetic row each and bets that they match one training row. Univariate ones are
about one column, multivariate ones about several columns of one synthetic row. The control is the same
predicates on the holdout, the naive run predicates of random columns, values and operators.

Rows that the training table holds twice are not singled out by what they share: real tables are counted as
they are. A holdout larger than the training table is cut to its size; for a smaller one the rate is carried
on to that size (`measuring/lone.py`), and where it is much smaller the interval is as wide as what so few
rows leave open: a small control cannot show that predicates single out nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.predicates import Conjunctions
from understudy.measuring.guessing import Guessed, GuessingAttack, drawn, in_order, scored
from understudy.measuring.lone import growth
from understudy.measuring.measure import Level
from understudy.measuring.risk import Runs, Tries
from understudy.measuring.singling import Sheet, at_random, multivariate, univariate
from understudy.table.evidence import Evidence

__all__ = ["SinglingOut"]

_MODES = ("univariate", "multivariate")


@final
@dataclass(frozen=True)
class SinglingOut(GuessingAttack):
    """Predicates that match one synthetic row and one training row, beyond those of a table never seen.

    mode     predicates of one column, of several, or both: then the value is the risk of the mean rates
    n_cols   columns of a multivariate predicate
    """

    level: ClassVar[Level] = "quick"

    mode: Literal["both", "univariate", "multivariate"] = check.choice("both", "both", *_MODES)
    n_cols: int = check.integer(3, low=1, high=1_000)

    def guess(self, evidence: Evidence, rng: np.random.Generator) -> Guessed:
        """Make the predicates of every mode and count what they match."""
        sheet = Sheet.of(in_order(evidence, "synthetic"))
        width = min(self.n_cols, len(sheet.domain))
        train = drawn(evidence, "train", len(evidence.coded("train")), rng)
        runs, notes, times = {}, [], np.zeros(len(train.rows))
        for mode in _MODES if self.mode == "both" else (self.mode,):
            columns = 1 if mode == "univariate" else width
            queries = (
                univariate(sheet, self.attacks, rng)
                if mode == "univariate"
                else multivariate(sheet, self.attacks, width, rng)
            )
            naive = at_random(sheet, self.attacks, columns, rng)
            matches, by_chance = (sheet.matches(asked, train.rows) for asked in (queries, naive))
            control = _control(sheet, queries, evidence, len(train.rows), rng)
            runs[mode] = Runs(_alone(matches), _alone(by_chance), *control)
            np.add.at(times, sheet.singled_out(queries.take(matches == 1), train.rows), 1)
            if len(queries) < self.attacks:
                notes.append(f"{mode}: {len(queries):,} of {self.attacks:,} wanted predicates were found")
        if evidence.has("holdout") and len(evidence.coded("holdout")) < len(train.rows):
            notes.append("the holdout is smaller than train: its rates are carried on to train's size")
        return Guessed(runs, tuple(notes), each=scored(evidence, train.places, times))


def _control(
    sheet: Sheet, queries: Conjunctions, evidence: Evidence, size: int, rng: np.random.Generator
) -> tuple[Tries, float, float] | tuple[()]:
    """Return what the same predicates match in the holdout, and how its rate grows to the size of train."""
    if not evidence.has("holdout"):
        return ()
    holdout = in_order(evidence, "holdout").draw(size, rng)
    matches = sheet.matches(queries, holdout)
    return (_alone(matches), *growth(matches, len(holdout), size))


def _alone(matches: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Tries:
    """Return how many match exactly one row, of the queries that there are."""
    return Tries(int((matches == 1).sum()), len(matches))
