"""Checking a release without its data: its files are unaltered, its figures follow from its entries.

A certificate is not signed. Verifying finds what was damaged, mixed up or edited by hand; it cannot find
a forgery made with care, and says nothing about the rows themselves.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from understudy.errors import CorruptModel, InputError, UnderstudyError
from understudy.model.store import MANIFEST, PARTS, open_parts
from understudy.privacy import Certificate, Entry, Ledger
from understudy.privacy.cross_check import disagreement
from understudy.privacy.ledger_file import FILE as LEDGER
from understudy.table.release import CERTIFICATE, file_digest

__all__ = ["Check", "verify"]

_DELTAS = (1e-5, 1e-6, 1e-9)


@final
@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and whether it is as it should be."""

    path: str
    what: str
    good: bool
    found: str = ""


def verify(path: Path, load: Callable[[Path], object]) -> list[Check]:
    """Check a model folder, a certificate, or every one of them below a folder.

    `load` reads a model folder for good, and raises if its parts do not belong together.
    """
    if path.is_file():
        if not _is_certificate(path):
            raise InputError(
                f"verify: {path.name!r} is not a certificate; name a *{CERTIFICATE} file or a folder."
            )
        return _certificate(path)
    if not path.is_dir():
        raise InputError(
            f"verify: there is no {str(path)!r}; name a model folder, a certificate or a folder of them."
        )
    checks = _below(path, load)
    if not checks:
        raise InputError(
            f"verify: {str(path)!r} holds neither a model nor a certificate; there is nothing to check."
        )
    return checks


def _below(folder: Path, load: Callable[[Path], object]) -> list[Check]:
    checks: list[Check] = []
    for place, folders, files in os.walk(folder, onerror=_refuse):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # A folder with the arrays of a model is one, even if its manifest is gone: that is to be found out.
        if LEDGER in files:
            checks += _ledger(here)
        if {MANIFEST, "tensors.safetensors"} & set(files):
            folders.clear()
            checks += _model(here, load)
        else:
            checks += [
                check
                for name in sorted(files)
                if _is_certificate(here / name)
                for check in _certificate(here / name)
            ]
    return checks


def _refuse(error: OSError) -> None:
    raise InputError(f"verify: cannot look into {str(error.filename)!r} ({error.strerror}).") from None


def _model(folder: Path, load: Callable[[Path], object]) -> list[Check]:
    digests, checks = _manifest(folder)
    for name in PARTS:
        good, found = _hashed(folder / name, digests.get(name))
        checks.append(Check(str(folder / name), "SHA-256", good, found))
    checks += _figures(folder / "certificate.json")
    return [*checks, _tried(str(folder), "its parts belong together", lambda: load(folder))]


def _manifest(folder: Path) -> tuple[dict[str, Any], list[Check]]:
    """Return the digests that the manifest states, and whether the manifest itself is whole."""
    check = _tried(str(folder / MANIFEST), "complete and unaltered", lambda: open_parts(folder))
    try:
        stated = json.loads((folder / MANIFEST).read_bytes())["parts"]
        digests = stated if isinstance(stated, dict) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        digests = {}
    return digests, [check]


def _certificate(path: Path) -> list[Check]:
    checks = _figures(path)
    if not all(check.good for check in checks):
        return checks
    covered = _read(path).artefacts
    if not covered and path.name.endswith(CERTIFICATE):
        checks.append(Check(str(path), "covers a file", False, "no file is named"))
    for name, stated in covered.items():
        # Only a plain name is followed: a certificate has no business outside its own folder.
        inside = Path(name).name == name and name not in {"", ".", ".."}
        good, found = (
            _hashed(path.parent / name, stated) if inside else (False, "not the name of a neighbour")
        )
        checks.append(Check(str(path.parent / name), "SHA-256", good, found))
    return checks


def _figures(path: Path) -> list[Check]:
    """Check that entries are chained, that the figures follow, and that other accountants agree."""
    chain = _tried(str(path), "entries and status", lambda: _read(path))
    if not chain.good:
        return [chain]
    certificate = _read(path)
    events = tuple(entry.event for entry in certificate.entries)
    stated = {delta: certificate.epsilon(delta) for delta in _DELTAS}
    stated = {delta: epsilon for delta, epsilon in stated.items() if math.isfinite(epsilon)}
    if not events or not stated:
        return [chain]  # there is no figure that could be doubted
    doubt = disagreement(events, stated)
    return [chain, Check(str(path), "figures", not doubt, doubt)]


def _ledger(folder: Path) -> list[Check]:
    """Check the chain of a run folder's ledger, and that it holds what the certificates below it state."""
    path = folder / LEDGER
    chain = _tried(str(path), "chain and head", lambda: Ledger(folder).entries)
    if not chain.good:
        return [chain]
    entries, checks = Ledger(folder).entries, [chain]
    for below in sorted(folder.rglob("*.json")):
        if _is_certificate(below):
            check = _tried(
                str(below), "its entries are in the ledger", partial(_refuse_unpaid, below, entries)
            )
            checks.append(check)
    return checks


def _refuse_unpaid(path: Path, paid: tuple[Entry, ...]) -> None:
    """Refuse a certificate of entries that a ledger lacks; rows drawn are charged to the model alone."""
    stated = tuple(entry for entry in _read(path).entries if entry.phase != "sample")
    if stated != paid[: len(stated)]:
        raise CorruptModel("the ledger lacks some of its entries: it is another's, or was put back")


def _read(path: Path) -> Certificate:
    return Certificate.from_json(path.read_bytes())


def _hashed(path: Path, stated: object) -> tuple[bool, str]:
    try:
        found = file_digest(path)
    except OSError as error:
        return False, (error.strerror or "cannot be read").lower()
    return found == stated, "" if found == stated else "the file was altered or exchanged"


def _tried(path: str, what: str, attempt: Callable[[], object]) -> Check:
    try:
        attempt()
    except UnderstudyError as error:
        return Check(path, what, False, str(error))
    except OSError as error:
        return Check(path, what, False, (error.strerror or "cannot be read").lower())
    return Check(path, what, True)


def _is_certificate(path: Path) -> bool:
    return path.is_file() and (path.name == "certificate.json" or path.name.endswith(CERTIFICATE))
