"""One candidate, judged: every measure and attack on its evidence, the pictures, the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from threadpoolctl import threadpool_limits

from understudy.errors import UnderstudyError
from understudy.measuring.job import reason
from understudy.measuring.measure import Measure
from understudy.measuring.running import run
from understudy.report.dossier import Candidate, Line
from understudy.result import Result
from understudy.study.alike import unlike_columns
from understudy.study.at_risk import groups, overlay, records
from understudy.study.claim_check import WHAT, claim_line
from understudy.study.grids import grids
from understudy.study.histograms import histograms
from understudy.study.judging import GDPR, judged
from understudy.study.kept import Kept
from understudy.study.policy import GROUPS
from understudy.study.programme import Known, programme
from understudy.study.request import Given, Request
from understudy.study.seeing import Seen
from understudy.table.evidence import Evidence

__all__ = ["judge"]

WORK = "work"
COPIES = "privacy.identical_match"
_POINTS = {"quick": 400, "standard": 1_000, "full": 1_000}
_T = TypeVar("_T")


def judge(given: Given, seen: Seen, request: Request) -> Candidate:
    """Measure, attack, draw, and hold everything against the policy."""
    known = Known(request.recipe, given.certificate)
    measures, tries = programme(request.level, known)
    results = _all_measured(measures, tries, seen, request)
    findings = [*seen.findings, *_of_certificate(given), *_of_tables(seen)]
    unlike = unlike_columns(seen.attacked)
    if unlike:
        findings.append(
            f"train and holdout rows differ in law ({', '.join(unlike[:5])}): attacks see that difference too"
        )
    with threadpool_limits(1):  # as for measures: threads of several libraries would wait for each other
        candidate = _drawn(given, seen, results, request)
    lines = _lines(given, seen, results, request, unlike)
    stands = not any(line.what == WHAT and line.verdict == "broken" for line in lines)
    return replace(candidate, lines=lines, findings=(*findings, *candidate.findings), claim_stands=stands)


def _all_measured(
    measures: list[Measure], tries: list[Measure], seen: Seen, request: Request
) -> list[Result]:
    """Run everything on the evidence that it is for; measures first, attacks behind them by name."""
    knowing = [attack for attack in tries if "reference" in getattr(attack, "sees", ())]
    # Copies are looked for in the very table, whatever else is tried on.
    direct = [attack for attack in tries if attack.title() == COPIES]
    others = [attack for attack in tries if attack not in knowing and attack not in direct]
    jobs: list[tuple[Evidence, list[Measure]]] = []
    for evidence, some in (
        (seen.released, [*measures, *direct]),
        (seen.attacked, others),
        (seen.informed, knowing),
    ):
        if jobs and jobs[-1][0] is evidence:
            jobs[-1][1].extend(some)
        else:
            jobs.append((evidence, list(some)))
    found = [result for evidence, some in jobs for result in _measured(some, evidence, request)]
    return sorted(found, key=lambda result: (result.name.startswith("privacy."), result.name))


def _measured(measures: Sequence[Measure], evidence: Evidence, request: Request) -> list[Result]:
    """Run what was not found before; each result is kept as soon as it is there."""
    kept = Kept(None if request.folder is None else request.folder / WORK, evidence)
    found = [kept.find(measure, request.seed) for measure in measures]
    left = [measure for measure, result in zip(measures, found, strict=True) if result is None]
    fresh = iter(
        run(
            left,
            evidence,
            seed=request.seed,
            workers=request.workers,
            progress=request.progress,
            done=lambda place, result: kept.put(left[place], request.seed, result),
        )
        if left
        else []
    )
    return [next(fresh) if result is None else result for result in found]


def _drawn(given: Given, seen: Seen, results: list[Result], request: Request) -> Candidate:
    """Gather what pictures are drawn from; one that cannot be made is a finding, and stops nothing."""
    said: list[str] = []
    places = None if seen.rehearsal is None else seen.rehearsal.places.tolist()
    points = _POINTS[request.level]
    plane = _tried(said, "overlay", lambda: overlay(seen.released, points, request.seed))
    synthetic = seen.released.table("synthetic")
    return Candidate(
        name=given.name,
        rows=len(synthetic),
        digest=given.digest,
        results=tuple(results),
        lines=(),
        certificate=given.certificate,
        recipe=_recipe_text(request),
        histograms=_tried(said, "columns", lambda: histograms(seen.released)) or (),
        grids=_tried(said, "pairs", lambda: grids(seen.released)) or (),
        planes=() if plane is None else (plane,),
        groups=_tried(said, "groups", lambda: groups(results, seen.informed, request.seed)) or (),
        records=_tried(said, "records", lambda: records(results, seen.attacked, places)) or (),
        findings=tuple(said),
    )


def _tried(said: list[str], what: str, make: Callable[[], _T]) -> _T | None:
    try:
        return make()
    except (UnderstudyError, ValueError, ArithmeticError, IndexError, MemoryError) as error:
        said.append(f"{what}: not drawn: {reason(error)}")
        return None


def _lines(
    given: Given, seen: Seen, results: list[Result], request: Request, unlike: list[str]
) -> tuple[Line, ...]:
    lines = list(judged(request.policy, results, given.certificate))
    if unlike:
        lines = [_confounded(line, unlike) for line in lines]
    if given.covered is None and given.table is not None:
        lines = [_untied(line) for line in lines]
    if (
        given.certificate is not None
        and (claim := claim_line(results, given.certificate, unlike)) is not None
    ):
        lines.insert(0, claim)
    if given.covered is False:
        found = "its digests name another file, or the file was altered"
        lines.insert(0, Line(WHAT, "covers the table that is judged", found, "broken"))
    if seen.rehearsal is not None and given.table is not None:
        found = "attacks were tried on a rehearsal: give a holdout table to have the very table attacked"
        lines.append(Line("rehearsal", "the table that is judged is attacked", found, "unsure"))
    return tuple(lines)


def _confounded(line: Line, unlike: list[str]) -> Line:
    """Leave open what a difference between train and holdout explains as well."""
    compares = line.what in GDPR or line.what.partition(".")[0] in GROUPS or line.what.startswith("privacy.")
    if line.verdict != "broken" or not compares or line.what == COPIES:
        return line
    found = f"{line.found}; but train and holdout differ in law ({', '.join(unlike[:3])})"
    return replace(line, verdict="unsure", found=found)


def _untied(line: Line) -> Line:
    if line.what != "guarantee" or line.verdict != "kept":
        return line
    return replace(line, verdict="unsure", found=f"{line.found}, but nothing ties it to this very table")


def _of_tables(seen: Seen) -> list[str]:
    """Return what is to be said of the tables themselves, such as rows that two of them share."""
    return list(dict.fromkeys((*seen.released.notes, *seen.attacked.notes)))


def _of_certificate(given: Given) -> list[str]:
    if given.certificate is None:
        return ["there is no certificate: nothing bounds what the stand-in can reveal"]
    if given.covered is None and given.table is not None:
        return ["the certificate names no file by which it could be held against this table"]
    return []


def _recipe_text(request: Request) -> str:
    if request.recipe is None:
        return ""
    settings = ", ".join(f"{key}={value}" for key, value in request.recipe.settings().items())
    return f"{request.recipe.name()}({settings})"
