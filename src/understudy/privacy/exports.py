"""The certificate in the terms of two rule books: NIST SP 800-226 and the deployment registry.

Both are translations. Nothing is claimed here that does not follow from the certificate; what a tool
cannot know, such as who has access, is "assumed" or left for the reader to fill in.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from understudy.privacy.certificate import Certificate, statuses
from understudy.privacy.certificate_json import figures
from understudy.privacy.enough import LARGEST_EPSILON
from understudy.privacy.meaning import headline, plain_meaning, quoted
from understudy.privacy.noise_words import TESTED, noise_told
from understudy.privacy.read_words import described

__all__ = ["Judgement", "to_nist_800_226", "to_registry"]

Judgement = Literal["met", "assumed", "not met"]
TO_FILL_IN = "to be filled in by whoever deploys this"
_STAMP = "NOT PRIVATE"
# Words of assumptions: that a schema was bought by an earlier run, and that a number of rows is declared.
BOUGHT_BEFORE, ROWS_DECLARED = "were bought before", "the number of rows is declared"


def to_nist_800_226(certificate: Certificate) -> dict[str, Any]:
    """Return the evaluation pyramid of NIST SP 800-226, each line met, assumed or not met.

    >>> to_nist_800_226(Certificate(()))["lines"]["epsilon and delta"]["judgement"]
    'met'
    """
    lines = {
        "epsilon and delta": _epsilon(certificate),
        "unit of privacy": _unit(certificate),
        "neighbouring relation": _line("met", f"{certificate.relation}: stated, and the same for all reads"),
        "mechanism correctness": _correctness(certificate),
        "algorithms and post-processing": _reads(certificate),
        "bounds, levels and row count": _domain(certificate),
        "randomness and floating point": _noise(certificate),
        "side channels": _line("assumed", "timing, memory and failures are not covered"),
        "trust model": _line("assumed", "central: whoever runs the tool sees the table and is trusted"),
        "access control": _line("assumed", "outside this tool: who can read the table and the run folder"),
        "data collection": _line(
            "assumed", "outside this tool: how the rows were gathered, and with what consent"
        ),
        "repeated releases": _line(
            "assumed", "other releases from the same table add to what is stated here"
        ),
    }
    return {
        "framework": "NIST SP 800-226 (2025)",
        "status": certificate.status,
        "lines": lines,
        "not covered": list(certificate.not_covered),
    }


def to_registry(certificate: Certificate) -> dict[str, Any]:
    """Return a tier-3 entry of the OpenDP/NIST deployment registry.

    >>> to_registry(Certificate(()))["tier"]
    3
    """
    return {
        "tier": 3,
        "deployment": {"name": TO_FILL_IN, "organisation": TO_FILL_IN, "date": TO_FILL_IN},
        "dp flavor": _flavor(certificate),
        "privacy unit": certificate.unit,
        "neighbouring relation": certificate.relation,
        "privacy loss parameters": figures(certificate),
        "deployment model": "central, one release",
        "status": certificate.status,
        "plain meaning": list(plain_meaning(certificate)),
        "data domain": {
            "declared": dict(certificate.declared),
            "assumptions": list(certificate.assumptions),
            "bought": _whats(certificate, "schema", infinite=False),
        },
        "unprotected quantities": [entry.what for entry in certificate.entries if entry.infinite],
        "mechanisms": [described(entry) for entry in certificate.entries],
        "composition": _composition(certificate),
        "post-processing": _post_processing(certificate),
        "implementation": {
            "tool": certificate.tool,
            "versions": dict(certificate.versions),
            "released files": dict(certificate.artefacts),
        },
        "security": {
            "randomness": _noise(certificate)["reason"],
            "not covered": list(certificate.not_covered),
        },
    }


def _line(judgement: Judgement, reason: str) -> dict[str, str]:
    return {"judgement": judgement, "reason": reason}


def _epsilon(certificate: Certificate) -> dict[str, str]:
    epsilon, delta = headline(certificate)
    if math.isinf(epsilon) and not any(entry.infinite for entry in certificate.entries):
        return _line("not met", quoted(certificate))
    if math.isinf(epsilon):
        covered = [
            name for name, status in statuses(certificate).items() if status in {"sound", "conditional"}
        ]
        rest = f"; bounded for {', '.join(covered)}" if certificate.status == "partial" else ""
        return _line("not met", f"no bound: rows were read as they are{rest}")
    text = f"epsilon {epsilon:.4g} at delta {delta:g}"
    if epsilon > LARGEST_EPSILON:
        return _line("not met", f"{text}: above {LARGEST_EPSILON:g} the bound is close to none")
    conditions = dict.fromkeys(entry.condition for entry in certificate.entries if entry.condition)
    if conditions:
        return _line("assumed", f"{text}, if {'; '.join(conditions)}")
    return _line("met", text)


def _unit(certificate: Certificate) -> dict[str, str]:
    if certificate.unit == "row":
        return _line("assumed", "one row; a person with several rows is protected less")
    return _line("met", f"one {certificate.unit}")


def _correctness(certificate: Certificate) -> dict[str, str]:
    silent = [entry.what for entry in certificate.entries if not entry.infinite and not entry.because]
    if any(_STAMP in entry.what for entry in certificate.entries):
        return _line("not met", "noise or outputs were fixed for a test")
    if silent:
        return _line("assumed", f"no sensitivity is stated for: {'; '.join(silent)}")
    stated = "every priced read states how far one row moves it; the price is recomputed from the events"
    return _line("assumed", f"{stated}; {TESTED}")


def _reads(certificate: Certificate) -> dict[str, str]:
    infinite = [entry.what for entry in certificate.entries if entry.infinite]
    if infinite:
        return _line("not met", f"read without a mechanism: {'; '.join(dict.fromkeys(infinite))}")
    return _line(
        "met", "rows are reached through mechanisms only; all else is post-processing of what they released"
    )


def _domain(certificate: Certificate) -> dict[str, str]:
    if _whats(certificate, "schema", infinite=True):
        return _line("not met", "looked up in the rows")
    if any(entry.infinite for entry in certificate.entries):
        return _line("not met", "rows were read as they are, and so was how many there are")
    bought = _whats(certificate, "schema", infinite=False)
    public = [text for text in certificate.assumptions if BOUGHT_BEFORE in text or ROWS_DECLARED in text]
    if certificate.declared:
        public.insert(0, f"declared as public for {len(certificate.declared)} columns")
    said = [*public, *([f"bought through mechanisms: {'; '.join(dict.fromkeys(bought))}"] if bought else [])]
    if not said:
        return _line("assumed", "none is bought by a read of this certificate or declared in it")
    return _line("assumed" if public else "met", "; ".join(said))


def _noise(certificate: Certificate) -> dict[str, str]:
    if any(_STAMP in entry.what for entry in certificate.entries):
        return _line("not met", "noise or outputs were fixed for a test")
    if any(entry.infinite for entry in certificate.entries):
        return _line("not met", "some reads have no noise")
    return _line("assumed", noise_told(certificate))


def _whats(certificate: Certificate, phase: str, *, infinite: bool) -> list[str]:
    return [e.what for e in certificate.entries if e.phase == phase and e.infinite == infinite]


def _flavor(certificate: Certificate) -> str:
    if certificate.status in {"none", "partial"}:
        return "none for everything together"
    return "approximate differential privacy, with the whole trade-off curve"


def _composition(certificate: Certificate) -> str:
    return (
        f"{len(certificate.entries)} reads of the same rows composed by privacy loss distributions, or where "
        "there are none, by Renyi divergences; the whole run was planned and paid for in advance"
    )


def _post_processing(certificate: Certificate) -> dict[str, str]:
    words = {
        "sound": "post-processing of priced reads only",
        "conditional": "post-processing of priced reads only, under a condition on the rows",
        "partial": "rows read as they are reach some of it",
        "none": "reached by rows that were read as they are",
    }
    return {name: words[status] for name, status in statuses(certificate).items()}
