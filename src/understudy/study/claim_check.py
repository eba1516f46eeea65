"""Is a certificate's claim true, as far as attacks can tell?

A certificate bounds every attacker's ROC curve. An attack that surely has a point above the bound (at 99.9 %
for each attack, so that a dozen of them raise a false alarm about once in a hundred audits) proves the claim
false: a bug, a wrong file, or rows that were read beside the mechanisms. Attacks can refute a claim; they
never prove one.

That holds as far as targets betray themselves independently of each other: there is one stand-in here, not
one for each throw of a coin. And the targets must be alike but for membership. Where train and holdout differ
in law, any attack that sees the difference exceeds every bound, and refutes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.measuring.interval import clopper_pearson
from understudy.measuring.membership import SURE
from understudy.privacy.certificate import Certificate
from understudy.privacy.enough import no_epsilon
from understudy.privacy.meaning import headline
from understudy.report.dossier import Line
from understudy.result import Result
from understudy.study.judging import is_membership

__all__ = ["WHAT", "claim_line", "refuting"]

WHAT = "certificate"
_SOURCE = "understudy: a claim that an attack exceeds is false"
_BECAUSE = "What the certificate says that nobody can do, nobody did."


def refuting(results: Sequence[Result], certificate: Certificate) -> list[str]:
    """Return what refutes the certificate, in words; the largest excess first."""
    found = []
    for result in results:
        if result.parts.get("exceeds", 0.0) > 0:
            found.append((math.inf, f"{result.name} bounds epsilon from below by {result.value:.3g}"))
        elif is_membership(result) and "sure_tpr" in result.parts:
            tpr, fpr = result.parts["sure_tpr"], result.parts["sure_fpr"]
            allowed = certificate.tradeoff(fpr)
            if tpr > allowed:
                said = (
                    f"{result.name} finds at least {tpr:.1%} of members, accuses at most {fpr:.1%} of others "
                    f"(99.9 % sure), and the certificate allows {allowed:.1%}"
                )
                found.append((tpr - allowed, said))
    return [said for _, said in sorted(found, key=lambda pair: -pair[0])]


def claim_line(results: Sequence[Result], certificate: Certificate, unlike: Sequence[str]) -> Line | None:
    """Return the line about the claim; none where the certificate claims nothing.

    `unlike` names the columns by which train and holdout are of different laws. A claim without an epsilon
    at a usual delta can be refuted; it is never called kept.
    """
    if certificate.status not in ("sound", "conditional"):
        return None
    asks = _asks(certificate)
    tried = [result for result in results if _could_refute(result, certificate)]
    if not tried:
        few = "no attack was tried on enough rows to refute anything"
        return Line(WHAT, asks, few, "not judged", _SOURCE, _BECAUSE)
    if not (against := refuting(results, certificate)):
        if too_little := no_epsilon(certificate):
            return Line(WHAT, asks, too_little, "not judged", _SOURCE, _BECAUSE)
        return Line(WHAT, asks, f"none of {len(tried)} attacks does", "kept", _SOURCE, _BECAUSE)
    if unlike:
        found = f"{against[0]}; but train and holdout differ in law ({', '.join(unlike[:3])})"
        return Line(WHAT, asks, found, "unsure", _SOURCE, _BECAUSE)
    return Line(WHAT, asks, f"the claim is false: {against[0]}", "broken", _SOURCE, _BECAUSE)


def _asks(certificate: Certificate) -> str:
    epsilon, delta = headline(certificate)
    if math.isinf(epsilon):
        return "no attack exceeds what the certificate allows"
    return f"no attack exceeds epsilon {epsilon:.3g} at delta {delta:g}"


def _could_refute(result: Result, certificate: Certificate) -> bool:
    """Say whether an attack that is never wrong would have refuted the claim with so many targets."""
    if "exceeds" in result.parts:
        return True
    half = result.n // 4  # of the targets half are members, and half of these give the rates
    if "sure_tpr" not in result.parts or half < 1:
        return False
    found, alarms = clopper_pearson(half, half, SURE)[0], clopper_pearson(0, half, SURE)[1]
    return found > certificate.tradeoff(alarms)
