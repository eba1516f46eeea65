"""From a policy and what was found to a verdict for each line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, final

from understudy.measuring.interval import clopper_pearson
from understudy.privacy.certificate import Certificate
from understudy.privacy.enough import no_epsilon
from understudy.privacy.meaning import headline
from understudy.report.dossier import Line, Verdict
from understudy.result import Result
from understudy.study.policy import GROUPS, Policy, Rule

__all__ = ["GDPR", "is_membership", "judged", "said"]

GDPR = ("privacy.singling_out", "privacy.linkability", "privacy.inference")
_NO_MEMBERSHIP = (
    "privacy.dcr",
    "privacy.nndr",
    "privacy.identical_match",
    "privacy.mds",
    "privacy.epsilon_audit",
)
_ORDER: tuple[Verdict, ...] = ("broken", "unsure", "not judged", "kept")
_TAIL = "tpr_at_fpr_"
_FEWEST_ALARMS = 2  # that a rate allows: with fewer, the threshold is the largest of a handful of scores
_STRICT = "in a strict policy what is not surely kept counts as broken"


@final
class _Seen(NamedTuple):
    """What a rule is held against: a name, the value and its interval; or why there is none."""

    name: str
    value: float
    low: float
    high: float
    why_not: str = ""


def judged(policy: Policy, results: Sequence[Result], certificate: Certificate | None) -> tuple[Line, ...]:
    """Return a line for every rule.

    >>> found = Result("privacy.dpi", 0.7, 0.65, 0.75, 0.5, "lower", True, parts={"auroc": 0.7})
    >>> [line.verdict for line in judged(Policy("p", (Rule("membership", at_most=0.6),)), [found], None)]
    ['broken']
    """
    lines = (_line(rule, results, certificate) for rule in policy.rules)
    return tuple(_strictly(line) for line in lines) if policy.strict else tuple(lines)


def is_membership(result: Result) -> bool:
    """Say whether a result is that of an attack that tells members from others, tried or not."""
    return result.name.startswith("privacy.") and result.name not in (*GDPR, *_NO_MEMBERSHIP)


def said(value: float, low: float, high: float) -> str:
    """Return a value and its interval in the digits that the interval leaves.

    >>> said(0.512345, 0.49, 0.53), said(0.5, math.nan, math.nan)
    ('0.512 (0.490 to 0.530)', '0.5')
    """
    reach = (high - low) / 2
    if not math.isfinite(reach) or reach <= 0:
        return f"{value:.4g}"
    digits = min(6, max(1, 1 - math.floor(math.log10(reach))))
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _line(rule: Rule, results: Sequence[Result], certificate: Certificate | None) -> Line:
    if rule.what == "epsilon":
        return _of_epsilon(rule, certificate)
    if rule.what == "guarantee":
        return _of_guarantee(rule, certificate)
    seen = [_seen(rule, result, part) for result, part in _meant(rule, results)]
    if not seen:
        return _as_line(rule, "it was not measured at this level", "not judged")
    verdicts = [(_verdict(rule, each), each) for each in seen]
    known = [pair for pair in verdicts if not pair[1].why_not]
    if not known:
        return _as_line(rule, seen[0].why_not, "not judged")
    verdict = min((pair[0] for pair in known), key=_ORDER.index)
    worst = max((each for found, each in known if found == verdict), key=lambda each: _badness(rule, each))
    # What some of a group were not asked, the others cannot answer for them.
    whole = "not judged" if verdict == "kept" and len(known) < len(seen) else verdict
    return _as_line(rule, _found(worst, len(known), len(seen), rule), whole)


def _meant(rule: Rule, results: Sequence[Result]) -> list[tuple[Result, str]]:
    """Return the results that a rule speaks of, each with the part that is meant, if one is."""
    head, _, part = rule.what.partition(".")
    if head in GROUPS:
        chosen = [r for r in results if (r.name in GDPR if head == "gdpr" else is_membership(r))]
        return [(result, part) for result in chosen]
    for result in results:
        if rule.what == result.name:
            return [(result, "")]
        if rule.what.startswith(f"{result.name}."):
            return [(result, rule.what.removeprefix(f"{result.name}."))]
    return []


def _seen(rule: Rule, result: Result, part: str) -> _Seen:
    nan = math.nan
    if math.isnan(result.value):
        reason = next(iter(result.notes), "it is undefined")
        return _Seen(result.name, nan, nan, nan, reason.removeprefix("undefined: "))
    if result.name in GDPR and "control" not in result.parts:
        return _Seen(
            result.name, nan, nan, nan, "without holdout rows it cannot be told from what everybody knows"
        )
    if part:
        return _of_part(result, part)
    numbers = _compared(rule, result)
    if math.isnan(numbers[0]):
        return _Seen(result.name, nan, nan, nan, "its null is 0 or undefined")
    return _Seen(result.name, *numbers)


def _of_part(result: Result, part: str) -> _Seen:
    value = result.parts.get(part, math.nan)
    name = f"{result.name}.{part}"
    if math.isnan(value):
        return _Seen(name, math.nan, math.nan, math.nan, "it has no such part")
    if part.startswith(_TAIL):
        members = result.n // 2
        if members * float(part.removeprefix(_TAIL)) < _FEWEST_ALARMS:
            return _Seen(name, math.nan, math.nan, math.nan, "there are too few others for so low a rate")
        return _Seen(name, value, *clopper_pearson(min(members, round(value * members)), members))
    return _Seen(name, value, value, value)


def _compared(rule: Rule, result: Result) -> tuple[float, float, float]:
    numbers = result.value, result.low, result.high
    if rule.of == "excess":
        return (numbers[0] - result.null, numbers[1] - result.null, numbers[2] - result.null)
    if rule.of == "ratio":
        null = result.null if result.null > 0 else math.nan
        return (numbers[0] / null, numbers[1] / null, numbers[2] / null)
    return numbers


def _verdict(rule: Rule, seen: _Seen) -> Verdict:
    if seen.why_not:
        return "not judged"
    low, high = (seen.value if math.isnan(end) else end for end in (seen.low, seen.high))
    if rule.at_most is not None:
        return "kept" if high <= rule.limit else "broken" if low > rule.limit else "unsure"
    return "kept" if low >= rule.limit else "broken" if high < rule.limit else "unsure"


def _badness(rule: Rule, seen: _Seen) -> float:
    return seen.value if rule.at_most is not None else -seen.value


def _found(worst: _Seen, known: int, tried: int, rule: Rule) -> str:
    text = said(worst.value, worst.low, worst.high)
    if rule.what.partition(".")[0] not in GROUPS:
        return text
    left = f", {tried - known} not judged" if tried > known else ""
    return f"{text} by {worst.name.split('.')[1]}, the worst of {known}{left}"


def _of_epsilon(rule: Rule, certificate: Certificate | None) -> Line:
    if certificate is None:
        return _as_line(rule, "there is no certificate: nothing bounds it", "broken")
    found = certificate.epsilon(rule.delta)
    if math.isinf(found):
        return _as_line(
            rule, f"nothing bounds it (the certificate's status is {certificate.status})", "broken"
        )
    verdict: Verdict = "kept" if _verdict(rule, _Seen("epsilon", found, found, found)) == "kept" else "broken"
    return _as_line(rule, f"{found:.4g}", verdict)


def _of_guarantee(rule: Rule, certificate: Certificate | None) -> Line:
    """Return whether enough is proven; where it is not, that is no fault, but somebody has to decide."""
    if certificate is None:
        return _as_line(rule, "there is none", "unsure")
    status = f"its status is {certificate.status!r}"
    if not certificate.sound:
        return _as_line(rule, status, "unsure")
    if why_not := no_epsilon(certificate):
        return _as_line(rule, f"{status}, but {why_not}", "unsure")
    epsilon, delta = headline(certificate)
    found = f"{status}, with epsilon {epsilon:.4g} at delta {delta:g}"
    return _as_line(rule, found, "kept" if epsilon <= rule.ceiling else "unsure")


def _as_line(rule: Rule, found: str, verdict: Verdict) -> Line:
    return Line(rule.what, rule.asks(), found, verdict, rule.source, rule.because)


def _strictly(line: Line) -> Line:
    if line.verdict in ("kept", "broken"):
        return line
    return replace(line, verdict="broken", found=f"{line.found}; {_STRICT}")
