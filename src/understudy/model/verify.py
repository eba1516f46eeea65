"""Checking a release without its data: its files are unaltered, its figures follow from its entries.

A certificate is not signed. Verifying finds what was damaged, mixed up or edited by hand; it cannot find
a forgery made with care, and says nothing about the rows themselves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from understudy.errors import CorruptModel, InputError
from understudy.model.checks import (
    Check,
    figures,
    hashed,
    is_certificate,
    is_neighbour,
    read_certificate,
    tried,
)
from understudy.model.store import MANIFEST, PARTS, open_parts
from understudy.model.verify_audit import is_audit, verify_audit
from understudy.privacy import Entry, Ledger
from understudy.privacy.ledger_file import FILE as LEDGER
from understudy.table.release import CERTIFICATE

__all__ = ["Check", "verify"]


def verify(path: Path, load: Callable[[Path], object]) -> list[Check]:
    """Check a model folder, the folder of an audit, a certificate, or every one of them below a folder.

    `load` reads a model folder for good, and raises if its parts do not belong together.
    """
    if path.is_file():
        if not is_certificate(path):
            raise InputError(
                f"verify: {path.name!r} is not a certificate; name a *{CERTIFICATE} file or a folder."
            )
        return _certificate(path)
    if not path.is_dir():
        raise InputError(
            f"verify: there is no {str(path)!r}; name a model, an audit, a certificate or a folder of them."
        )
    checks = _below(path, load)
    if not checks:
        raise InputError(
            f"verify: {str(path)!r} holds no model, audit or certificate; there is nothing to check."
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
        elif is_audit(here, files):
            checks += verify_audit(here)
        else:
            checks += [
                check
                for name in sorted(files)
                if is_certificate(here / name)
                for check in _certificate(here / name)
            ]
    return checks


def _refuse(error: OSError) -> None:
    raise InputError(f"verify: cannot look into {str(error.filename)!r} ({error.strerror}).") from None


def _model(folder: Path, load: Callable[[Path], object]) -> list[Check]:
    digests, checks = _manifest(folder)
    checks += [hashed(folder / name, digests.get(name)) for name in PARTS]
    checks += figures(folder / "certificate.json")
    return [*checks, tried(str(folder), "its parts belong together", lambda: load(folder))]


def _manifest(folder: Path) -> tuple[dict[str, Any], list[Check]]:
    """Return the digests that the manifest states, and whether the manifest itself is whole."""
    check = tried(str(folder / MANIFEST), "complete and unaltered", lambda: open_parts(folder))
    try:
        stated = json.loads((folder / MANIFEST).read_bytes())["parts"]
        digests = stated if isinstance(stated, dict) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        digests = {}
    return digests, [check]


def _certificate(path: Path) -> list[Check]:
    checks = figures(path)
    if not all(check.good for check in checks):
        return checks
    covered = read_certificate(path).artefacts
    if not covered and path.name.endswith(CERTIFICATE):
        checks.append(Check(str(path), "covers a file", False, "no file is named"))
    # Only a plain name is followed: a certificate has no business outside its own folder.
    return checks + [
        hashed(path.parent / name, stated)
        if is_neighbour(name)
        else Check(str(path.parent / name), "SHA-256", False, "not the name of a neighbour")
        for name, stated in covered.items()
    ]


def _ledger(folder: Path) -> list[Check]:
    """Check the chain of a run folder's ledger, and that it holds what the certificates below it state."""
    path = folder / LEDGER
    chain = tried(str(path), "chain and head", lambda: Ledger(folder).entries)
    if not chain.good:
        return [chain]
    entries, checks = Ledger(folder).entries, [chain]
    for below in sorted(folder.rglob("*.json")):
        if is_certificate(below):
            check = tried(
                str(below), "its entries are in the ledger", partial(_refuse_unpaid, below, entries)
            )
            checks.append(check)
    return checks


def _refuse_unpaid(path: Path, paid: tuple[Entry, ...]) -> None:
    """Refuse a certificate of entries that a ledger lacks; rows drawn are charged to the model alone."""
    stated = tuple(entry for entry in read_certificate(path).entries if entry.phase != "sample")
    if stated != paid[: len(stated)]:
        raise CorruptModel("the ledger lacks some of its entries: it is another's, or was put back")
