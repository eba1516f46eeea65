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
from understudy.privacy.not_given import not_given
from understudy.report.croissant import croissant
from understudy.report.dossier import Dossier
from understudy.report.model_card import model_card
from understudy.report.page import page
from understudy.report.results_json import results_json
from understudy.study.request import distinct
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
    old = _written_before(folder / MANIFEST)
    files = files_of(dossier)
    for name in old - set(files):
        (folder / name).unlink(missing_ok=True)  # of an earlier audit, and no part of this one
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
    names = distinct([_plain(candidate.name) for candidate in dossier.candidates])
    for name, candidate in zip(names, dossier.candidates, strict=True):
        file = "certificate.json" if len(names) == 1 else f"{_plain(name)}.certificate.json"
        # Where none was given a reader must find that said, not a file that could have been forgotten.
        found[file] = (candidate.certificate or not_given()).to_json()
    return found


def _write(path: Path, text: str, *, private: bool) -> None:
    if private and path.is_file():
        path.chmod(_OWNER)  # what is replaced keeps its permissions, and may have been open to others
    write_bytes(path, text.encode(), mode=_OWNER if private else 0o644)


def _written_before(path: Path) -> set[str]:
    """Return the files of an audit that was saved here before; refuse a folder of something else."""
    if not path.exists():
        return set()
    try:
        tree = json.loads(path.read_bytes())
        kind, names = tree.get("kind"), set(tree.get("files", ()))
    except (OSError, ValueError, AttributeError, TypeError):
        kind, names = None, set()
    if kind != "audit":
        raise InputError(f"audit: {str(path.parent)!r} holds a model or something else; name another folder.")
    # Only plain names of the kinds that are written here: a manifest has no say over other files.
    return {
        name for name in names if re.fullmatch(r"[A-Za-z0-9._-]+\.certificate\.json|certificate\.json", name)
    }


def _plain(name: str) -> str:
    """Return a name that any file system takes.

    >>> _plain("b/ü.csv")
    'b_.csv'
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name) or "candidate"
