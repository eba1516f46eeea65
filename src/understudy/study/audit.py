"""The audit: tables in, every measure and attack, a verdict by a policy, two reports out."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

from understudy.errors import InputError, ParameterError
from understudy.report.dossier import Candidate, Column, Dossier, Standing, Subject
from understudy.result import Result
from understudy.rng import stream
from understudy.study.circumstances import LIMITS, hardware, now, versions
from understudy.study.dictionary import dictionary
from understudy.study.judge import judge
from understudy.study.kept import table_digest
from understudy.study.policy import policy_of
from understudy.study.request import Given, Real, Request, givens, level_of, name_of, recipe_of
from understudy.study.saving import save
from understudy.study.seeing import look
from understudy.table.reading import Reading
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["Audit", "audit"]


@final
@dataclass(frozen=True)
class Audit:
    """What an audit found; `save` writes the reports.

    `results` are those of all candidates, one after another; where there is one candidate,
    `audit["privacy.dpi"]` is one of them.
    """

    dossier: Dossier

    @property
    def results(self) -> list[Result]:
        """Every result."""
        return [result for candidate in self.candidates for result in candidate.results]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What was found about each synthetic table."""
        return self.dossier.candidates

    @property
    def standing(self) -> Standing:
        """The verdict: of several candidates, that of the best one."""
        return self.dossier.standing

    def __getitem__(self, name: str) -> Result:
        if len(self.candidates) > 1:
            raise ParameterError(
                f"audit: there are {len(self.candidates)} candidates; look into audit.candidates."
            )
        for result in self.results:
            if result.name == name:
                return result
        known = ", ".join(result.name for result in self.results)
        raise ParameterError(f"audit: there is no result {name!r} at this level; there are {known}.")

    def save(self, folder: str | Path) -> Path:
        """Write the two reports, the results, the certificate and the rest; return the folder."""
        return save(self.dossier, Path(folder))

    def _repr_html_(self) -> str:
        from understudy.study.notebook import as_html

        return as_html(self.dossier)


def audit(
    train: object,
    synthetic: object = None,
    holdout: object = None,
    reference: object = None,
    certificate: object = None,
    *,
    recipe: object = None,
    level: str = "standard",
    seed: int = 0,
    policy: object = None,
    schema: Schema | None = None,
    target: str | None = None,
    workers: int | None = None,
    progress: bool = True,
    folder: str | Path | None = None,
    reading: Reading | None = None,
) -> Audit:
    """Judge a stand-in, or several: how like, how useful, what it betrays, and whether the claim holds.

    train        the rows that the stand-in was made from
    synthetic    the stand-in, or a list of them to be compared; may be left out where a recipe is given
    holdout      real rows that were not learned from; attacks need them
    reference    more such rows, for the adversary; half of the holdout if left out
    certificate  of the stand-in; the one that lies beside its file if left out
    recipe       how it was made (`"mst"` or `MST(...)`): without a holdout, attacks are tried on a rehearsal
    level        quick (a minute), standard (some minutes) or full (shadow models)
    policy       a TOML file with limits; understudy's default if left out
    folder       where results are kept as they come, so that an audit that was cut short goes on
    reading      what the private CSV files do differently: `Reading(delimiter=";")`

    >>> import pyarrow as pa
    >>> real, other = ({"x": [i + shift for i in range(60)]} for shift in (0.0, 0.5))
    >>> audit(pa.table(real), pa.table(real), pa.table(other), level="quick", workers=0).standing
    'refused'
    """
    started = time.perf_counter()
    stream(seed)  # a seed that is none is refused before anything is read
    request = Request(
        level_of(level),
        seed,
        policy_of(policy),
        recipe_of(recipe),
        schema,
        target,
        workers,
        progress,
        None if folder is None else Path(folder),
    )
    reading = Reading() if reading is None else reading
    candidates = givens(synthetic, certificate, reading)
    if request.recipe is None and any(given.table is None for given in candidates):
        raise InputError("audit: a synthetic table is needed, or a recipe to make one; got neither.")
    if train is None:
        raise InputError("audit: a train table is needed; got None.")
    real = Real(reading.private(train), _read(holdout, reading), _read(reference, reading))
    names = {"train": train, "holdout": holdout, "reference": reference}
    return Audit(_dossier(real, names, candidates, request, started))


def _read(source: object, reading: Reading) -> Table | None:
    return None if source is None else reading.private(source)


def _dossier(
    real: Real, names: dict[str, object], candidates: list[Given], request: Request, started: float
) -> Dossier:
    found: list[Candidate] = []
    columns: tuple[Column, ...] = ()
    for given in candidates:
        seen = look(given, real, request)
        found.append(judge(given, seen, request))
        columns = columns or dictionary(seen.released, given.certificate)
    tables = {"train": real.train, "holdout": real.holdout, "reference": real.reference}
    subjects = [_subject(role, names[role], table) for role, table in tables.items() if table is not None]
    subjects += [Subject("synthetic", each.name, each.rows, each.digest) for each in found]
    return Dossier(
        title=f"Audit of {', '.join(each.name for each in found)}",
        made=now(),
        level=request.level,
        seed=request.seed,
        policy=request.policy.name,
        subjects=tuple(subjects),
        columns=columns,
        candidates=tuple(found),
        versions=versions(),
        hardware=hardware(),
        limits=LIMITS,
        seconds=time.perf_counter() - started,
    )


def _subject(role: str, source: object, table: Table) -> Subject:
    """Return a real table as the owner's report names it; a salted digest confirms no guess."""
    salt = secrets.token_hex(8)
    digest = hashlib.sha256(f"{salt}{table_digest(table.to_arrow())}".encode()).hexdigest()
    return Subject(role, name_of(source, role), len(table), f"{salt}:{digest}")
