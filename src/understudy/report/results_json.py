"""results.json: the audit for machines, beside the page for people.

It names no row, cell or record of a real table, and no count of its rows. Its figures have six digits where
the page that may leave has three, and its parts are more: whoever passes it on passes on exact scores of real
rows. A certificate that cannot be relied on is marked: its figures are those of its file, no more.
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.privacy.certificate_json import figures
from understudy.privacy.entry import digest_of
from understudy.report.dossier import Candidate, Dossier, Line
from understudy.report.guarantee import doubt
from understudy.report.plain_json import pasteable, rounded, whole_text
from understudy.report.results_schema import Claim, Contender, PolicyLine, Results, Score
from understudy.report.words import against, note_to_share
from understudy.result import Result

__all__ = ["results_json"]

_COUNTS = ("_hits", "_guesses")  # parts that count real rows which an attack was tried on


def results_json(dossier: Dossier) -> str:
    """Return a dossier as JSON; docs/reference/results.schema.json describes it.

    A confidential dossier and its shared part give the same text: per-record scores are in no results.json.

    >>> empty = Dossier("t", "2026-01-01", "quick", 0, "none", (), (), ())
    >>> results_json(empty).startswith('{')
    True
    """
    shared = dossier.shared()
    found = Results(
        title=whole_text(shared.title),
        made=whole_text(shared.made),
        level=whole_text(shared.level),
        seed=shared.seed,
        seconds=rounded(shared.seconds) or 0.0,
        policy=whole_text(shared.policy),
        standing=shared.standing,
        candidates=[_contender(each) for each in shared.candidates],
        results=[_score(each.name, result) for each in shared.candidates for result in each.results],
        lines=[_line(each.name, line) for each in shared.candidates for line in each.lines],
        limits=[whole_text(limit) for limit in shared.limits],
        versions=_texts(shared.versions),
        hardware=_texts(shared.hardware),
    )
    return pasteable(found.model_dump(mode="json"))


def _contender(candidate: Candidate) -> Contender:
    return Contender(
        name=whole_text(candidate.name),
        digest=candidate.digest,
        rows=candidate.rows,
        recipe=whole_text(candidate.recipe),
        standing=candidate.standing,
        certificate=_claim(candidate),
        findings=[whole_text(note_to_share(finding)) for finding in candidate.findings],
    )


def _claim(candidate: Candidate) -> Claim | None:
    """Return what the certificate states, as in its file, and whether it may be relied on."""
    certificate = candidate.certificate
    if certificate is None:
        return None
    found = {name: rounded(value) for name, value in figures(certificate).items()}
    why_not = whole_text(doubt(candidate))
    return Claim(
        status=certificate.status,
        chain=digest_of(certificate.entries),
        figures=found,
        stands=not why_not,
        why_not=why_not,
    )


def _score(candidate: str, result: Result) -> Score:
    """Return a result without what tells of real rows: their number, and counts in its parts and notes."""
    return Score(
        candidate=whole_text(candidate),
        name=whole_text(result.name),
        value=rounded(result.value),
        low=rounded(result.low),
        high=rounded(result.high),
        null=rounded(result.null),
        better=result.better,
        verdict=against(result),
        saw_real_rows=result.saw_real_rows,
        parts={
            whole_text(name): rounded(value)
            for name, value in result.parts.items()
            if not name.endswith(_COUNTS)
        },
        n=None if result.saw_real_rows else result.n,
        seconds=rounded(result.seconds) or 0.0,
        notes=[whole_text(note_to_share(note)) for note in result.notes],
    )


def _line(candidate: str, line: Line) -> PolicyLine:
    return PolicyLine(
        candidate=whole_text(candidate),
        what=whole_text(line.what),
        asks=whole_text(line.asks),
        found=whole_text(note_to_share(line.found) if line.verdict == "not judged" else line.found),
        verdict=line.verdict,
        source=whole_text(line.source),
        reason=whole_text(line.reason),
    )


def _texts(words: Mapping[str, str]) -> dict[str, str]:
    return {whole_text(name): whole_text(text) for name, text in words.items()}
