"""What `verify` looks at in every kind of folder: hashes of files, and figures of certificates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final

from understudy.errors import UnderstudyError
from understudy.privacy import Certificate
from understudy.privacy.cross_check import disagreement
from understudy.privacy.meaning import USUAL_DELTAS
from understudy.table.release import CERTIFICATE, file_digest

__all__ = ["Check", "figures", "hashed", "is_certificate", "is_neighbour", "read_certificate", "tried"]


@final
@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and whether it is as it should be."""

    path: str
    what: str
    good: bool
    found: str = ""


def hashed(path: Path, stated: object) -> Check:
    """Compare a file's SHA-256 with the one that is stated."""
    try:
        found = file_digest(path)
    except OSError as error:
        return Check(str(path), "SHA-256", False, (error.strerror or "cannot be read").lower())
    except ValueError:  # no file system has such a name
        return Check(str(path), "SHA-256", False, "not the name of a file")
    said = "" if found == stated else "the file was altered or exchanged"
    return Check(str(path), "SHA-256", found == stated, said)


def tried(path: str, what: str, attempt: Callable[[], object]) -> Check:
    """Attempt something; an error of ours, or of the file system, is what was found."""
    try:
        attempt()
    except UnderstudyError as error:
        return Check(path, what, False, str(error))
    except OSError as error:
        return Check(path, what, False, (error.strerror or "cannot be read").lower())
    return Check(path, what, True)


def figures(path: Path) -> list[Check]:
    """Check that entries are chained, that the figures follow, and that other accountants agree."""
    chain = tried(str(path), "entries and status", lambda: read_certificate(path))
    if not chain.good:
        return [chain]
    certificate = read_certificate(path)
    events = tuple(entry.event for entry in certificate.entries)
    stated = {delta: certificate.epsilon(delta) for delta in USUAL_DELTAS}
    stated = {delta: epsilon for delta, epsilon in stated.items() if math.isfinite(epsilon)}
    if not events or not stated:
        return [chain]  # there is no figure that could be doubted
    doubt = disagreement(events, stated)
    return [chain, Check(str(path), "figures", not doubt, doubt)]


def read_certificate(path: Path) -> Certificate:
    """Return the certificate of a file, or say that it was altered."""
    return Certificate.from_json(path.read_bytes())


def is_certificate(path: Path) -> bool:
    """Whether a file has the name of a certificate."""
    return path.is_file() and (path.name == "certificate.json" or path.name.endswith(CERTIFICATE))


def is_neighbour(name: str) -> bool:
    """Whether a name leads to a file of the same folder: nothing that is read may lead elsewhere.

    >>> is_neighbour("a.csv"), is_neighbour("../a.csv"), is_neighbour("")
    (True, False, False)
    """
    return Path(name).name == name and name not in {"", ".", ".."}
