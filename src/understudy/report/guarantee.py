"""The guarantee in one sentence, and the questions of NIST SP 800-226 with an honest answer to each.

Some of them a program can answer; some hold only as far as somebody vouches for them; and some only the
person who signs can know. The answer says which.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

from understudy.privacy.certificate import Certificate, statuses
from understudy.privacy.enough import LARGEST_EPSILON, no_epsilon
from understudy.privacy.meaning import headline
from understudy.privacy.noise_words import TESTED, noise_told
from understudy.report.catalogue import worded
from understudy.report.dossier import Candidate, Line
from understudy.report.words import figure, line_to_share

__all__ = [
    "Answer",
    "Requirement",
    "bounded",
    "doubt",
    "guaranteed",
    "requirements",
    "says_false",
    "sentence",
]

Answer = Literal["met", "assumed", "not met", "signer"]
_STEPS = 6  # named in the sentence
_NOT_GIVEN = "Not known: no certificate was given."
_RELATION = {"add_remove": "add/remove", "replace_one": "replace-one"}


@final
@dataclass(frozen=True)
class Requirement:
    """One question, the answer, and why."""

    what: str
    answer: Answer
    why: str


def sentence(certificate: Certificate | None) -> str:
    """Return what is guaranteed for whom, covering what, and not covering what.

    >>> sentence(None)
    'No guarantee: no certificate came with this table. All that is known is what the attacks found.'
    """
    if certificate is None:
        return (
            "No guarantee: no certificate came with this table. All that is known is what the attacks found."
        )
    if certificate.status in {"none", "partial"}:
        return _open(certificate)
    covered = _listed([entry.what for entry in certificate.entries]) or "nothing was read"
    return (
        f"{_formal(certificate)} per {certificate.unit}, "
        f"{_related(certificate)}, covering these steps: {covered}; "
        f"not covered: {'; '.join(certificate.not_covered)}."
    )


def bounded(certificate: Certificate | None) -> bool:
    """Whether an epsilon holds that holds somebody back: finite at a usual delta, and not too large.

    >>> bounded(Certificate(())), bounded(None)
    (True, False)
    """
    return certificate is not None and headline(certificate)[0] <= LARGEST_EPSILON


def guaranteed(candidate: Candidate) -> str:
    """Return what is guaranteed of a candidate, or why its certificate guarantees nothing."""
    return doubt(candidate) or sentence(candidate.certificate)


def doubt(candidate: Candidate) -> str:
    """Return why nothing may be said in the certificate's name; empty where it stands, or there is none.

    Only the judge's word counts, `claim_stands` and the lines: he knows whether an attack's excess refutes.
    """
    if candidate.certificate is None:
        return ""
    against = [line for line in candidate.lines if says_false(line)]
    if candidate.claim_stands and not against:
        return ""
    found = worded(line_to_share(against[0]).found) if against else _WITHOUT_A_LINE
    return f"The certificate cannot be relied on: {found.removesuffix('.')}."


_WITHOUT_A_LINE = "it covers another file, or an attack found more than it allows"


def says_false(line: Line) -> bool:
    """Whether a line says that the certificate covers another file, or that its claim is refuted."""
    return line.verdict == "broken" and line.what == "certificate"


def requirements(candidate: Candidate) -> tuple[Requirement, ...]:
    """Return the eight lines of the pyramid, from the figures at the top to the collection at its foot."""
    certificate = candidate.certificate
    if why := doubt(candidate):
        return (*(Requirement(what, "not met", why) for what in _OF_CERTIFICATE), *_SURROUNDINGS)
    return (
        _figures(certificate),
        Requirement(
            "Unit of privacy",
            "assumed" if certificate else "not met",
            "One row. Where one person has several rows, each is protected by itself and the person is not: "
            "the signer must know how many rows a person has."
            if certificate
            else "No unit is stated without a certificate.",
        ),
        Requirement(
            "Neighbouring relation",
            "met" if certificate else "not met",
            f"{_related(certificate)} of one {certificate.unit}, in every line of the ledger."
            if certificate
            else "No relation is stated without a certificate.",
        ),
        _mechanisms(candidate),
        _digits(certificate),
        *_SURROUNDINGS,
    )


_OF_CERTIFICATE = (
    "Epsilon and delta",
    "Unit of privacy",
    "Neighbouring relation",
    "Mechanism correctness",
    "Floating point and side channels",
)
_SURROUNDINGS = (
    Requirement(
        "Trust model",
        "assumed",
        "Central: whoever ran the tool saw the real rows, and is trusted with them.",
    ),
    Requirement(
        "Access control",
        "signer",
        "Who can read the real rows, the internal page and the noise keys is not known to the tool.",
    ),
    Requirement(
        "Data collection",
        "signer",
        "How the rows were collected, and whether that was lawful, is not known to the tool.",
    ),
)


def _figures(certificate: Certificate | None) -> Requirement:
    name = "Epsilon and delta"
    if certificate is None:
        return Requirement(name, "not met", _NOT_GIVEN)
    if not _bounds(certificate):
        return Requirement(name, "not met", "Nothing bounds what the whole of it can reveal.")
    epsilon, delta = headline(certificate)
    if not math.isfinite(epsilon):
        return Requirement(name, "not met", f"{_opened(no_epsilon(certificate))}.")
    said = f"epsilon {figure(epsilon)} at delta {delta:g}, computed from the ledger."
    if not bounded(certificate):
        return Requirement(name, "not met", f"{said} Above {LARGEST_EPSILON:g} the bound is close to none.")
    if certificate.status == "conditional":
        return Requirement(name, "assumed", f"{said} Some prices hold under a condition on the rows only.")
    return Requirement(name, "met", said)


def _mechanisms(candidate: Candidate) -> Requirement:
    name = "Mechanism correctness"
    if candidate.certificate is None:
        return Requirement(name, "not met", _NOT_GIVEN)
    if not _bounds(candidate.certificate):
        return Requirement(name, "not met", "No mechanism stands between the rows and all that was made.")
    audited = any(result.name == "privacy.epsilon_audit" for result in candidate.results)
    tried = "an audit of epsilon found nothing against it" if audited else "no audit of epsilon was run here"
    return Requirement(name, "assumed", f"{_opened(TESTED)}; {tried}.")


def _digits(certificate: Certificate | None) -> Requirement:
    name = "Floating point and side channels"
    if certificate is None:
        return Requirement(name, "not met", _NOT_GIVEN)
    if certificate.status not in {"sound", "conditional"}:
        return Requirement(name, "not met", "There is no noise that could protect the whole.")
    said = f"{_opened(noise_told(certificate))}; timing and memory of the machine are not covered."
    return Requirement(name, "assumed", said)


def _bounds(certificate: Certificate | None) -> bool:
    return certificate is not None and certificate.status in {"sound", "conditional"}


def _related(certificate: Certificate) -> str:
    return _RELATION.get(certificate.relation, certificate.relation)


def _formal(certificate: Certificate) -> str:
    if why_not := no_epsilon(certificate):
        return _opened(why_not)
    epsilon, delta = headline(certificate)
    return f"({figure(epsilon)}, {delta:g})-differential privacy"


def _opened(said: str) -> str:
    return said[:1].upper() + said[1:]


def _open(certificate: Certificate) -> str:
    seen = _listed([entry.what for entry in certificate.entries if entry.infinite])
    bounded = [name for name, status in statuses(certificate).items() if status in {"sound", "conditional"}]
    but = f" Of {_listed(bounded)} alone a bound is stated below." if bounded else ""
    return f"No guarantee for the whole: private rows were read as they are ({seen}).{but}"


def _listed(names: Sequence[str]) -> str:
    """Return different names, the first of them if they are many."""
    known = list(dict.fromkeys(names))
    more = f", and {len(known) - _STEPS} more" if len(known) > _STEPS else ""
    return ", ".join(known[:_STEPS]) + more
