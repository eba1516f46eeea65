"""An audit as files: two pages, their machine-readable twins, and a manifest that says what belongs together.

share.html, certificate.json, MODEL_CARD.md and croissant.json may leave. internal.html and results.json are
for their owner: the first tells of single records, the second has more digits than anybody needs to sign.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from understudy.errors import InputError, WriteError
from understudy.model.store import MANIFEST as MODEL
from understudy.report.croissant import croissant
from understudy.report.dossier import Dossier
from understudy.report.model_card import model_card
from understudy.report.page import page
from understudy.report.results_json import results_json
from understudy.table.atomic import write_bytes
from understudy.version import TOOL

__all__ = ["CONFIDENTIAL", "MANIFEST", "files_of", "save"]

MANIFEST = "manifest.json"
CONFIDENTIAL = ("internal.html", "results.json")
_OWNER = 0o600


def save(dossier: Dossier, folder: Path) -> Path:
    """Write everything; each file appears whole or not at all, and the manifest comes last."""
    if (folder / MODEL).exists():
        raise InputError(f"audit: {str(folder)!r} holds a model; name another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"audit: cannot make {str(folder)!r} ({error.strerror}).") from None
    _refuse_other_manifest(folder / MANIFEST)
    files = files_of(dossier)
    for name, text in files.items():
        _write(folder / name, text, private=name in CONFIDENTIAL)
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    manifest = {"format": 1, "kind": "audit", "tool": TOOL, "files": digests}
    _write(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n", private=False)
    return folder


def files_of(dossier: Dossier) -> dict[str, str]:
    """Return the text of every file by its name."""
    left = dossier.shared()
    found = {
        "share.html": page(left),
        "internal.html": page(dossier),
        "results.json": results_json(dossier),
        "MODEL_CARD.md": model_card(left),
        "croissant.json": croissant(left),
    }
    for candidate in dossier.candidates:
        if candidate.certificate is not None:
            alone = len(dossier.candidates) == 1
            name = "certificate.json" if alone else f"{_plain(candidate.name)}.certificate.json"
            found[name] = candidate.certificate.to_json()
    return found


def _write(path: Path, text: str, *, private: bool) -> None:
    if private and path.is_file():
        path.chmod(_OWNER)  # what is replaced keeps its permissions, and may have been open to others
    write_bytes(path, text.encode(), mode=_OWNER if private else 0o644)


def _refuse_other_manifest(path: Path) -> None:
    """Refuse a folder whose manifest is that of something else, such as a model."""
    if not path.exists():
        return
    try:
        kind = json.loads(path.read_bytes()).get("kind")
    except (OSError, ValueError, AttributeError):
        kind = None
    if kind != "audit":
        raise InputError(f"audit: {str(path.parent)!r} holds a model or something else; name another folder.")


def _plain(name: str) -> str:
    """Return a name that any file system takes.

    >>> _plain("b/ü.csv")
    'b_.csv'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name) or "candidate"
