"""What an audit means, in at most ten plain lines, and why a candidate is refused."""

from __future__ import annotations

import math

from understudy.privacy.meaning import plain_meaning
from understudy.report.catalogue import known, under
from understudy.report.dossier import Candidate, Line
from understudy.report.guarantee import claim_is_false, says_false
from understudy.report.roc import strongest
from understudy.report.words import against, figure, span, spoken
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
    if claim_is_false(candidate):
        lines.insert(0, "The certificate is false: an attack found more about rows than it allows.")
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
    counts: dict[str, int] = {
        verdict: sum(line.verdict == verdict for line in candidate.lines) for verdict in _VERDICTS
    }
    said = [f"{count} {words}" for verdict, words in _VERDICTS.items() if (count := counts[verdict])]
    return f"Of {len(candidate.lines)} lines of the policy {', '.join(said)}."


_VERDICTS = {
    "kept": "are kept",
    "broken": "are broken",
    "unsure": "cannot be decided with this many rows",
    "not judged": "could not be judged",
}


def _bounds(candidate: Candidate) -> list[str]:
    if candidate.certificate is None:
        return ["No certificate came with it: only the attacks that were run say what it may reveal."]
    return list(plain_meaning(candidate.certificate)[:_OF_CERTIFICATE])


def _copies(results: tuple[Result, ...]) -> list[str]:
    """Return a line where rows appear that chance does not explain; nothing where it does."""
    return [
        f"Copies: {figure(100 * each.value)} % of its rows are rows of the real table; chance explains "
        f"{figure(100 * each.null)} %."
        for each in results
        if each.name == "privacy.identical_match" and against(each) == "unlike" and each.value > each.null
    ]


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
    return [f"{question}: {figure(100 * worst.value)} % are found beyond chance ({reach}): {spoken(worst)}."]


def _likeness(room: str, word: str, results: tuple[Result, ...]) -> list[str]:
    verdicts = [against(each) for each in results if each.name.startswith(f"{room}.")]
    told = [verdict for verdict in verdicts if verdict != "unknown"]
    if not told:
        return []
    well = sum(verdict in {"even", "better"} for verdict in told)
    return [f"{word}: {well} of {len(told)} scores are as good as those of fresh real rows."]
