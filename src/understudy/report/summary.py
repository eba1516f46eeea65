"""What an audit means, in at most ten plain lines, and why a candidate is refused."""

from __future__ import annotations

import math
from collections import Counter

from understudy.privacy.meaning import plain_meaning
from understudy.report.catalogue import known, under
from understudy.report.dossier import Candidate, Line
from understudy.report.guarantee import doubt, says_false
from understudy.report.roc import strongest
from understudy.report.words import against, figure, span
from understudy.result import Result

__all__ = ["means", "reasons"]

_MOST = 10
_OF_CERTIFICATE = 4


def reasons(candidate: Candidate) -> tuple[Line, ...]:
    """Return the lines of the policy that decide: those broken, or else those that are open."""
    broken = tuple(line for line in candidate.lines if line.verdict == "broken")
    broken = tuple(sorted(broken, key=lambda line: not says_false(line)))  # a false certificate comes first
    return broken or tuple(line for line in candidate.lines if line.verdict in {"unsure", "not judged"})


def means(candidate: Candidate) -> tuple[str, ...]:
    """Return what was found, for a reader who knows no formula; the alarming first, at most ten lines."""
    lines = [_judged(candidate)]
    if why := doubt(candidate):
        lines.insert(0, why)
    lines += _copies(candidate.results) + _bounds(candidate)
    lines += _membership(candidate.results)
    for question in ("Singling out", "Linkability", "Inference"):
        lines += _question(question, candidate.results)
    lines += _likeness("fidelity", "Likeness", candidate.results)
    lines += _likeness("utility", "Use", candidate.results)
    return tuple(lines[:_MOST])


def _judged(candidate: Candidate) -> str:
    if not candidate.lines:
        return "No policy was asked for: nothing here was judged."
    counts = Counter(_kind(line) for line in candidate.lines)
    said = [_counted(counts[kind], words) for kind, words in _KINDS.items() if counts[kind]]
    asked = "1 line" if len(candidate.lines) == 1 else f"{len(candidate.lines)} lines"
    return f"Of {asked} of the policy {', '.join(said)}."


def _kind(line: Line) -> str:
    """Return the verdict; more rows decide what an interval left open, and nothing that a proof did."""
    return f"unsure {line.what}" if line.verdict == "unsure" and line.what in _PROOFS else line.verdict


def _counted(count: int, words: str) -> str:
    one = f"is {words.removeprefix('are ')}" if words.startswith("are ") else words
    return f"{count} {one if count == 1 else words}"


_PROOFS = ("guarantee", "certificate")
_KINDS = {
    "kept": "are kept",
    "broken": "are broken",
    "unsure": "cannot be decided with this many rows",
    "unsure guarantee": "are left to a person: nothing is proven, or too little",
    "unsure certificate": "are left to a person: an attack exceeds the claim, but on rows of two laws",
    "not judged": "could not be judged",
}


def _bounds(candidate: Candidate) -> list[str]:
    if candidate.certificate is None:
        return ["No certificate came with it: only the attacks that were run say what it may reveal."]
    if doubt(candidate):
        return []
    return list(plain_meaning(candidate.certificate)[:_OF_CERTIFICATE])


def _copies(results: tuple[Result, ...]) -> list[str]:
    """Return a line where rows appear that chance does not explain; nothing where it does."""
    return [
        _copied(each)
        for each in results
        if each.name == "privacy.identical_match" and against(each) == "unlike" and each.value > each.null
    ]


def _copied(result: Result) -> str:
    """Return the share of rows that are copies, and how much of it chance explains."""
    whole, chance = figure(100 * result.value), figure(100 * result.null)
    return f"Copies: {whole} % of its rows are rows of the real table; chance explains {chance} %."


def _membership(results: tuple[Result, ...]) -> list[str]:
    attacks = strongest(under("Membership", results))
    if not attacks:
        return []
    best = attacks[0]
    several = f"The strongest of {len(attacks)} attacks" if len(attacks) > 1 else "An attack"
    reach = span(100 * best.low, 100 * best.high)
    said = (
        f"Membership: {several} ({known(best.name).label}) ranks a member above an outsider in "
        f"{figure(100 * best.value)} of 100 pairs ({reach}); guessing does in 50."
    )
    return [said]


def _question(question: str, results: tuple[Result, ...]) -> list[str]:
    """Return a line on the largest risk under a question; descriptions are no risks."""
    found = [
        each for each in under(question, results) if each.better == "lower" and not math.isnan(each.value)
    ]
    if not found:
        return []
    worst = max(found, key=lambda each: each.value)
    reach = span(100 * worst.low, 100 * worst.high)
    said = f"{question}: {figure(100 * worst.value)} % are found beyond chance ({reach})"
    return [f"{said}{_TAILS[against(worst)]}."]


_TAILS = {
    "worse": "",
    "even": ", no more than chance may give",
    "better": ", less than chance gives",
    "unlike": "",
    "unknown": "; there is nothing to compare with",
}


def _likeness(room: str, word: str, results: tuple[Result, ...]) -> list[str]:
    verdicts = [against(each) for each in results if each.name.startswith(f"{room}.")]
    told = [verdict for verdict in verdicts if verdict != "unknown"]
    if not told:
        return []
    well = sum(verdict in {"even", "better"} for verdict in told)
    return [f"{word}: {well} of {len(told)} scores are as good as those of fresh real rows."]
