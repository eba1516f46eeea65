"""What a candidate is judged by: its tables in their roles, and roles made of what there is.

Without a holdout a recipe is rehearsed on parts of the rows; without a reference, half of the holdout is what
adversaries have who need rows of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from understudy.study.informed import HALVED
from understudy.study.programme import Known
from understudy.study.request import Given, Real, Request
from understudy.study.splitting import Rehearsal, halves, rehearse
from understudy.table.evidence import Evidence
from understudy.table.table import Table

__all__ = ["Seen", "look"]

_REHEARSED = (
    "no holdout was given: attacks were tried on a rehearsal, a stand-in that the recipe made of 60 % of the "
    "rows; they judge the recipe, not the very table"
)
_BLIND = (
    "no holdout was given and the recipe is not known: most attacks could not be tried; give a holdout, or "
    "say how the stand-in was made (--method and --set, or recipe= in Python)"
)


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """What a candidate is judged by: the tables themselves, and those that attacks are tried on.

    `informed` is what adversaries see who have rows of their own: where these were taken from the holdout,
    the other attacks keep all of it.
    """

    released: Evidence
    attacked: Evidence
    informed: Evidence
    rehearsal: Rehearsal | None
    findings: tuple[str, ...]


def look(given: Given, real: Real, request: Request) -> Seen:
    """Put tables into their roles; what is missing is made where it can be."""
    if real.holdout is not None:
        return _with_holdout(given, real, request)
    if request.recipe is None:
        alone = _evidence(request, train=real.train, synthetic=given.table, reference=real.reference)
        return Seen(alone, alone, alone, None, (_BLIND,))
    tried = rehearse(
        real.train,
        request.recipe,
        Known(request.recipe, given.certificate).budget,
        request.seed,
        schema=request.schema,
        progress=request.progress,
    )
    attacked = _evidence(
        request,
        train=tried.train,
        holdout=tried.holdout,
        reference=tried.reference,
        synthetic=tried.synthetic,
    )
    if given.table is None:
        return Seen(attacked, attacked, attacked, tried, (_REHEARSED,))
    released = _evidence(request, train=real.train, synthetic=given.table)
    return Seen(released, attacked, attacked, tried, (_REHEARSED,))


def _with_holdout(given: Given, real: Real, request: Request) -> Seen:
    assert real.holdout is not None, "asked only then"
    synthetic = given.table
    if synthetic is None:
        assert request.recipe is not None, "a candidate without a table has a recipe"
        fitted = request.recipe.fit(
            real.train,
            request.schema,
            Known(request.recipe, given.certificate).budget,
            request.seed,
            progress=request.progress,
        )
        synthetic = fitted.sample_table(len(real.train), request.seed)
    tables = {"train": real.train, "synthetic": synthetic}
    whole = _evidence(request, **tables, holdout=real.holdout, reference=real.reference)
    if real.reference is not None or (parts := halves(real.holdout, request.seed)) is None:
        return Seen(whole, whole, whole, None, ())
    informed = _evidence(request, **tables, holdout=parts[0], reference=parts[1])
    return Seen(whole, whole, informed, None, (HALVED,))


def _evidence(request: Request, **tables: Table | None) -> Evidence:
    return Evidence(
        train=tables["train"],
        synthetic=tables["synthetic"],
        holdout=tables.get("holdout"),
        reference=tables.get("reference"),
        schema=request.schema,
        target=request.target,
    )
