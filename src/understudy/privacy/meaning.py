"""What a certificate means for one person, in sentences that need no formula."""

from __future__ import annotations

import math

from understudy.privacy.certificate import Certificate, part_of, statuses

__all__ = ["headline", "plain_meaning"]

_DELTAS = (1e-9, 1e-6, 1e-5)

_ALARM = 0.01  # the rate of false alarms that the sentences speak of


def plain_meaning(certificate: Certificate) -> tuple[str, ...]:
    """Return what an attacker can reach at most, in sentences.

    >>> for line in plain_meaning(Certificate(())):
    ...     print(line)
    Nothing was read from private rows: the result reveals nothing about any row.
    """
    if not certificate.entries:
        return ("Nothing was read from private rows: the result reveals nothing about any row.",)
    if any(entry.infinite for entry in certificate.entries):
        return _without_bound(certificate)
    return (*_bounds(certificate), *_conditions(certificate))


def headline(certificate: Certificate) -> tuple[float, float]:
    """Return the epsilon to quote, and its delta: the smallest of three usual ones that has an epsilon.

    A delta that was set aside for the discovery of levels leaves no epsilon at smaller ones.

    >>> headline(Certificate(()))
    (0.0, 1e-09)
    """
    found = [(certificate.epsilon(delta), delta) for delta in _DELTAS]
    return next((pair for pair in found if math.isfinite(pair[0])), found[-1])


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
    epsilon, delta = headline(certificate)
    formal = f"This is ({epsilon:.3g}, {delta:g})-differential privacy, for one {unit} {relation}."
    return search, test, formal


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
