"""What stands in each section of a page: texts and pictures of one candidate, ready for the template."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from markupsafe import Markup

from understudy.privacy.certificate_json import figures
from understudy.privacy.read_words import described
from understudy.report import heat, histograms
from understudy.report.catalogue import QUESTIONS, asked, known, under, worded
from understudy.report.dossier import Candidate, Line, Points
from understudy.report.dpi import plagiarism
from understudy.report.guarantee import Requirement, doubt, guaranteed, requirements
from understudy.report.risks import forest, on_one_axis
from understudy.report.roc import roc
from understudy.report.scatter import Cloud, scatter
from understudy.report.strip import strip
from understudy.report.summary import means, reasons
from understudy.report.words import against, figure, line_to_share, note_to_share, span, spoken
from understudy.result import Result

__all__ = ["Picture", "Row", "Sections", "sections"]


@final
@dataclass(frozen=True)
class Row:
    """One result as a line of a table."""

    label: str
    name: str
    value: str
    interval: str
    null: str
    words: str
    bad: bool
    had: str
    notes: tuple[str, ...]
    control: str
    rows: str
    picture: Markup


@final
@dataclass(frozen=True)
class Picture:
    """A picture with its caption, and the names of what there was no room for."""

    title: str
    drawn: Markup
    said: str = ""
    unseen: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Sections:
    """Everything that is said of one candidate."""

    candidate: Candidate
    standing: str
    means: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, Line], ...]
    everywhere: tuple[str, ...]
    sentence: str
    doubt: str
    requirements: tuple[Requirement, ...]
    forests: tuple[Picture, ...]
    questions: tuple[tuple[str, str, tuple[Row, ...]], ...]
    roc: Markup
    dpi: Markup
    succeeding: tuple[int, int]
    fidelity: tuple[Row, ...]
    utility: tuple[Row, ...]
    histograms: tuple[Picture, ...]
    left_out: tuple[str, ...]
    grids: tuple[Picture, ...]
    planes: tuple[Picture, ...]
    reads: tuple[dict[str, str], ...]
    figures: tuple[tuple[str, str], ...]


def sections(candidate: Candidate, *, confidential: bool) -> Sections:
    """Return what the page says of a candidate; counts of real rows only where it is confidential."""
    candidate = candidate if confidential else _to_share(candidate)
    candidate = replace(candidate, findings=tuple(map(worded, candidate.findings)))
    results, certificate = candidate.results, candidate.certificate
    everywhere = _everywhere(results)
    results = tuple(_without(each, everywhere) for each in results)
    risks = _room("privacy", results)
    dpi = next((each for each in risks if each.name == "privacy.dpi"), None) if confidential else None
    return Sections(
        candidate=candidate,
        standing=candidate.standing if candidate.lines else "not judged",
        means=means(candidate),
        reasons=tuple(
            (f"{asked(line.what)}: {line.asks}", worded(line.found)) for line in reasons(candidate)
        ),
        lines=tuple((asked(line.what), replace(line, found=worded(line.found))) for line in candidate.lines),
        everywhere=everywhere,
        sentence=guaranteed(candidate),
        doubt=doubt(candidate),
        requirements=requirements(candidate),
        forests=_forests(risks),
        questions=_questions(risks, confidential=confidential),
        roc=roc(risks, None if doubt(candidate) else certificate),
        dpi=plagiarism(dpi) if dpi else Markup(""),
        succeeding=_succeeding(risks),
        fidelity=_rows(_room("fidelity", results), confidential=confidential),
        utility=_rows(_room("utility", results), confidential=confidential),
        histograms=_histograms(candidate),
        left_out=histograms.unseen(candidate.histograms),
        grids=tuple(Picture(each.title, heat.heat(each), "", heat.unseen(each)) for each in candidate.grids),
        planes=tuple(_plane(each) for each in candidate.planes),
        reads=tuple(described(entry) for entry in certificate.entries) if certificate else (),
        figures=_figures(candidate),
    )


def _to_share(candidate: Candidate) -> Candidate:
    """Return the candidate without counts in its texts, and with figures of three digits in its lines."""
    return replace(
        candidate,
        results=tuple(
            replace(each, notes=tuple(note_to_share(note) for note in each.notes))
            for each in candidate.results
        ),
        lines=tuple(line_to_share(line) for line in candidate.lines),
        findings=tuple(note_to_share(finding) for finding in candidate.findings),
    )


def _room(name: str, results: tuple[Result, ...]) -> tuple[Result, ...]:
    return tuple(each for each in results if each.name.startswith(f"{name}."))


def _rows(results: tuple[Result, ...], *, confidential: bool) -> tuple[Row, ...]:
    """Return lines of a table, what was not measured last; what is noted of most figures stands elsewhere."""
    ordered = sorted(results, key=lambda each: math.isnan(each.value))  # sorting keeps the order otherwise
    return tuple(_row(each, confidential=confidential) for each in ordered)


def _row(result: Result, *, confidential: bool) -> Row:
    about = known(result.name)
    control = result.parts.get("control", result.parts.get("allowed", math.nan))
    return Row(
        label=about.label,
        name=result.name,
        value=figure(result.value),
        interval=span(result.low, result.high),
        null=figure(result.null),
        words=spoken(result),
        bad=against(result) in {"worse", "unlike"},
        had=about.had,
        notes=result.notes,
        control=figure(control),
        rows=f"{result.n:,}" if confidential and result.n else "",
        picture=strip(result),
    )


def _without(result: Result, everywhere: tuple[str, ...]) -> Result:
    return replace(result, notes=tuple(note for note in result.notes if note not in everywhere))


def _everywhere(results: tuple[Result, ...]) -> tuple[str, ...]:
    """Return the notes that more than half of the results have: said once, they need no line in each."""
    notes = Counter(note for each in results for note in set(each.notes))
    return tuple(sorted(note for note, count in notes.items() if count > max(3, len(results) / 2)))


def _forests(risks: tuple[Result, ...]) -> tuple[Picture, ...]:
    """Return the risks between 0 and 1 on one axis, and each of the others on its own."""
    one, others = on_one_axis(risks)
    found = [Picture("Every risk on one axis", forest(one))] if one else []
    for each in others:
        ends = [abs(end) for end in (each.value, each.high, each.parts.get("allowed", math.nan))]
        top = max([1.0, *(end for end in ends if math.isfinite(end))])
        found.append(Picture(known(each.name).label, forest((each,), top * 1.1)))
    return tuple(found)


def _questions(
    risks: tuple[Result, ...], *, confidential: bool
) -> tuple[tuple[str, str, tuple[Row, ...]], ...]:
    found = [
        (question, asked, _rows(under(question, risks), confidential=confidential))
        for question, asked in QUESTIONS.items()
    ]
    return tuple(each for each in found if each[2] or each[0] != "Other checks")


def _succeeding(risks: tuple[Result, ...]) -> tuple[int, int]:
    """Return how many attacks find more than chance, and how many there are; descriptions do not count."""
    tried = [each for each in risks if each.better == "lower" and not math.isnan(each.value)]
    return sum(against(each) == "worse" for each in tried), len(tried)


def _histograms(candidate: Candidate) -> tuple[Picture, ...]:
    return tuple(
        Picture(
            each.column,
            histograms.histogram(each),
            histograms.hidden(each, candidate.rows),
        )
        for each in candidate.histograms[: histograms.MOST]
    )


def _plane(points: Points) -> Picture:
    """Return clouds on a plane: real rows as rings, others as dots, so that they differ without colour."""
    clouds = [_cloud(label, places, at) for at, (label, places) in enumerate(points.clouds)]
    drawn = scatter(clouds, points.title) if clouds else ""
    return Picture(points.title, Markup(drawn))  # noqa: S704 - escaped there


def _cloud(label: str, places: tuple[tuple[float, float], ...], at: int) -> Cloud:
    real = "real" in label.lower()
    colour = "var(--real)" if real else ("var(--bar)", "var(--s2)", "var(--s3)")[at % 3]
    return Cloud(label, np.asarray(places, np.float64).reshape(-1, 2), colour, 2.4, 0.75, hollow=real)


def _figures(candidate: Candidate) -> tuple[tuple[str, str], ...]:
    if candidate.certificate is None:
        return ()
    return tuple(
        (name, "no bound" if value is None else figure(value))
        for name, value in figures(candidate.certificate).items()
    )
