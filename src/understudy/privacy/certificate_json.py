"""The certificate's file: readable, sealed, and believed only as far as it can be computed anew."""

from __future__ import annotations

import hashlib
import json
import math
from functools import lru_cache
from typing import Any

from understudy.errors import CorruptModel, VersionError
from understudy.privacy.certificate import NOT_COVERED, Certificate, statuses
from understudy.privacy.entry import digest_of, entry_from_dict, entry_to_dict
from understudy.privacy.events import Event
from understudy.privacy.read_words import described
from understudy.privacy.seal import seal_from_dict, seal_to_dict

__all__ = ["FORMAT", "figures", "read", "write"]

FORMAT = 1
CLOSE = 0.01  # two machines round a privacy loss distribution a little differently
_WORDS = (
    "assumptions", "unit", "relation", "not_covered", "tool", "artefacts", "declared", "versions"
)  # fmt: skip


def figures(certificate: Certificate) -> dict[str, float | None]:
    """Return the figures that a reader asks for; None stands for "no bound".

    >>> figures(Certificate(()))["epsilon at delta 1e-9"]
    0.0
    """
    return dict(_figures(tuple(entry.event for entry in certificate.entries)))


@lru_cache(maxsize=512)
def _figures(events: tuple[Event, ...]) -> dict[str, float | None]:
    # They follow from the events alone: a certificate that is written and then read is computed once.
    from understudy.privacy.accounting import account  # scipy: slow to load, and reading needs it last

    curve = account(events)
    found = {
        "epsilon at delta 1e-5": curve.epsilon(1e-5),
        "epsilon at delta 1e-6": curve.epsilon(1e-6),
        "epsilon at delta 1e-9": curve.epsilon(1e-9),
        "delta at epsilon 1": curve.delta(1.0),
        "mu": curve.mu(),
        "separation": curve.separation(),
        "largest advantage of an attacker": curve.delta(0.0),
        "largest true positive rate at 0.1 % false positives": curve.tradeoff(0.001),
        "largest true positive rate at 1 % false positives": curve.tradeoff(0.01),
    }
    return {name: None if math.isinf(value) else float(value) for name, value in found.items()}


def write(certificate: Certificate) -> str:
    """Return the certificate as JSON text.

    The seal has no key: it shows slips of the hand and of the disk, not a forger's work. What cannot
    be forged is what follows from the entries; `read` computes that anew.
    """
    tree = _words(certificate) | {"figures": figures(certificate)}
    return json.dumps({**tree, "seal": _seal(tree)}, indent=1, ensure_ascii=False) + "\n"


def read(text: str | bytes) -> Certificate:
    """Return the certificate of a file, or say that it was altered."""
    tree = _tree(text)
    try:
        entries = tuple(entry_from_dict(entry) for entry in tree["entries"])
        seals = tuple(seal_from_dict(seal) for seal in tree["seals"])
        found = Certificate(entries, seals=seals, **{name: _frozen(tree[name]) for name in _WORDS})
        chain, stated, seal = tree.pop("chain"), tree.pop("figures"), tree.pop("seal")
    except (KeyError, TypeError):
        raise CorruptModel("certificate: this is not a certificate, or parts of it are gone.") from None
    if chain != digest_of(entries):
        raise CorruptModel("certificate: its entries were altered: the chain does not follow from them.")
    if {**tree, "chain": chain} != _words(found) or seal != _seal(_words(found) | {"figures": stated}):
        raise CorruptModel("certificate: it was altered: its words, figures and seal do not agree.")
    if (
        found.unit != "row"
        or found.relation != "add_remove"
        or not set(NOT_COVERED) <= set(found.not_covered)
    ):
        raise CorruptModel("certificate: it claims more than any certificate of understudy covers.")
    if not _agree(stated, figures(found)):
        raise CorruptModel("certificate: it was altered: a figure does not follow from its entries.")
    return found


def _tree(text: str | bytes) -> dict[str, Any]:
    try:
        tree = json.loads(text)
        version = tree["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CorruptModel("certificate: this is not a certificate, or parts of it are gone.") from None
    if isinstance(version, int) and version > FORMAT:
        raise VersionError(f"certificate: format {version} is newer than {FORMAT}; update understudy.")
    return dict(tree)


def _words(certificate: Certificate) -> dict[str, Any]:
    """Return all of the certificate but its figures, as JSON gives it back."""
    tree = {
        "format": FORMAT,
        "status": certificate.status,
        "parts": statuses(certificate),
        "entries": [entry_to_dict(entry) for entry in certificate.entries],
        "reads": [described(entry) for entry in certificate.entries],
        "seals": [seal_to_dict(seal) for seal in certificate.seals],
        **{name: _plain(getattr(certificate, name)) for name in _WORDS},
        "chain": digest_of(certificate.entries),
    }
    return dict(json.loads(json.dumps(tree)))


def _agree(stated: Any, computed: dict[str, float | None]) -> bool:
    if not isinstance(stated, dict) or set(stated) != set(computed):
        return False
    for name, value in computed.items():
        told = stated[name]
        if value is None or told is None or isinstance(told, bool) or not isinstance(told, int | float):
            if told is not value:
                return False
        elif not math.isclose(told, value, rel_tol=CLOSE, abs_tol=1e-9):
            return False
    return True


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in value.items()}
    return tuple(str(item) for item in value) if isinstance(value, list) else str(value)


def _seal(tree: dict[str, Any]) -> str:
    text = json.dumps(tree, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
