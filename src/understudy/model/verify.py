"""Checking a release without its data: its files are unaltered, its figures follow from its entries.

A certificate is not signed. Verifying finds what was damaged, mixed up or edited by hand; it cannot find
a forgery made with care, and says nothing about the rows themselves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from understudy.errors import InputError, UnderstudyError
from understudy.model.store import MANIFEST, PARTS, open_parts
from understudy.privacy import Certificate
from understudy.table.release import CERTIFICATE, file_digest

__all__ = ["Check", "verify"]


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
    covered = Certificate.from_json(path.read_bytes()).artefacts
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
    """Check that the entries are chained as written, and that every figure follows from them."""
    chain = _tried(str(path), "entries and status", lambda: Certificate.from_json(path.read_bytes()))
    if not chain.good:
        return [chain]
    stated = json.loads(path.read_bytes())
    computed = json.loads(Certificate.from_json(path.read_bytes()).to_json())
    wrong = sorted(key for key in stated.keys() | computed.keys() if stated.get(key) != computed.get(key))
    return [chain, Check(str(path), "figures", not wrong, f"{', '.join(wrong)} differ" if wrong else "")]


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
