"""What a certificate means for one person, in sentences that need no formula."""

from __future__ import annotations

import math

from understudy.privacy.certificate import Certificate, part_of, statuses
from understudy.privacy.enough import no_epsilon

__all__ = ["USUAL_DELTAS", "headline", "plain_meaning", "quoted"]

USUAL_DELTAS = (1e-9, 1e-6, 1e-5)

_ALARM = 0.01  # the rate of false alarms that the sentences speak of


def plain_meaning(certificate: Certificate) -> tuple[str, ...]:
    """Return what an attacker can reach at most, in sentences.

    >>> plain_meaning(Certificate((), ("column names are public",)))[1]
    'It rests on this: column names are public. Where that was looked up in the rows, it tells that.'
    """
    if not certificate.entries:
        return _without_reads(certificate)
    if any(entry.infinite for entry in certificate.entries):
        return _without_bound(certificate)
    return (*_bounds(certificate), *_conditions(certificate))


def headline(certificate: Certificate, delta: float | None = None) -> tuple[float, float]:
    """Return the epsilon to quote, and its delta: the one asked for, or the smallest usual one that has it.

    A delta that was set aside for the discovery of levels leaves no epsilon at smaller ones. Where none of
    the three usual ones has an epsilon, it is infinite, at the largest of them.

    >>> headline(Certificate(()))
    (0.0, 1e-09)
    """
    deltas = USUAL_DELTAS if delta is None else (delta,)
    found = [(certificate.epsilon(each), each) for each in deltas]
    return next((pair for pair in found if math.isfinite(pair[0])), found[-1])


def quoted(certificate: Certificate, delta: float | None = None) -> str:
    """Return that epsilon and its delta in words.

    >>> quoted(Certificate(()))
    'epsilon 0 at delta 1e-9'
    """
    epsilon, at = headline(certificate, delta)
    shown = f"{at:g}".replace("e-0", "e-")
    if math.isinf(epsilon):
        return (no_epsilon(certificate) if delta is None else "") or f"no epsilon holds at delta {shown}"
    return f"epsilon {epsilon:.4g} at delta {shown}"


def _without_reads(certificate: Certificate) -> tuple[str, ...]:
    """Return what holds of a fit that asked the rows nothing: a schema that it was given may have."""
    public = "; ".join(certificate.assumptions) or "column names, kinds and types are public"
    nothing = "Nothing was read from private rows in this fit: the result reveals nothing about any row"
    return (
        f"{nothing} beyond what is taken to be public.",
        f"It rests on this: {public}. Where that was looked up in the rows, it tells that.",
    )


def _bounds(certificate: Certificate) -> tuple[str, ...]:
    found, advantage, unit = certificate.tradeoff(_ALARM), certificate.delta(0.0), certificate.unit
    relation = _RELATIONS.get(certificate.relation, certificate.relation)
    search = (
        f"Somebody who tries to tell whether a certain {unit} was in the table, and who accuses {_ALARM:.0%} "
        f"of those that were not, finds at most {found:.1%} of those that were. Guessing finds {_ALARM:.0%}."
    )
    test = (
        f"Whatever the test, it is right about at most {(1 + advantage) / 2:.1%} of rows when half of them "
        f"were in the table: an advantage over guessing of at most {advantage:.1%}."
    )
    return search, test, f"{_formal(certificate)}, for one {unit} {relation}."


def _formal(certificate: Certificate) -> str:
    if why_not := no_epsilon(certificate):
        return f"{why_not[:1].upper()}{why_not[1:]}"
    epsilon, delta = headline(certificate)
    return f"This is ({epsilon:.3g}, {delta:g})-differential privacy"


def _conditions(certificate: Certificate) -> tuple[str, ...]:
    stated = dict.fromkeys(entry.condition for entry in certificate.entries if entry.condition)
    return tuple(f"It holds only if {condition}." for condition in stated)


def _without_bound(certificate: Certificate) -> tuple[str, ...]:
    seen = [entry.what for entry in certificate.entries if entry.infinite]
    lines = [f"Private rows were read as they are ({'; '.join(dict.fromkeys(seen))})."]
    for name, status in statuses(certificate).items():
        if status in {"sound", "conditional"} and part_of(certificate, name).entries:
            lines += [f"Of {name} alone: {line}" for line in plain_meaning(part_of(certificate, name))]
        elif status == "none":
            lines.append(f"Nothing bounds what {name} can reveal about a row.")
    return tuple(lines)


_RELATIONS = {"add_remove": "added or removed", "replace_one": "replaced"}
