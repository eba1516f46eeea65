"""Checking the folder of an audit: its files are those that were written, its figures follow.

manifest.json names every file by its SHA-256. The certificates' figures are recomputed, and results.json must
state the same ones; one that stands where none was given claims nothing, and is marked so. What is meant for
those who may see the rows, internal.html and results.json, may be missing: a folder that was passed on is
checked as far as it goes. A table may lie there too, with its own certificate, which the manifest does not
know; any other certificate is a stranger.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from functools import partial
from pathlib import Path

from understudy.errors import CorruptModel, UnderstudyError, VersionError
from understudy.model.checks import (
    Check,
    figures,
    hashed,
    is_certificate,
    is_neighbour,
    read_certificate,
    tried,
)
from understudy.privacy.certificate_json import CLOSE, figures as figures_of
from understudy.privacy.entry import digest_of
from understudy.privacy.not_given import is_not_given
from understudy.report.results_schema import Claim, Results
from understudy.table.read import ending_of
from understudy.table.release import certificate_path

__all__ = ["is_audit", "verify_audit"]

MANIFEST, RESULTS, SHARE = "manifest.json", "results.json", "share.html"
_AT_HOME = ("internal.html", RESULTS)  # may be kept back
_BESIDE = {RESULTS, "MODEL_CARD.md", "croissant.json"}  # one of them tells an audit's page from another
FORMAT = 1
_LARGEST = 2**20  # bytes of a manifest


def is_audit(folder: Path, files: Collection[str]) -> bool:
    """Whether a folder is an audit's, even if its manifest is gone or spoiled: that is to be found out."""
    if SHARE in files and _BESIDE & set(files):
        return True
    if MANIFEST not in files:
        return False
    try:
        return _tree(folder / MANIFEST).get("kind") == "audit"
    except (UnderstudyError, OSError):
        return False


def verify_audit(folder: Path) -> list[Check]:
    """Check every file that the manifest names, every certificate, and what results.json says of them."""
    manifest = folder / MANIFEST
    whole = tried(str(manifest), "complete", lambda: _stated(manifest))
    stated = _stated(manifest) if whole.good else {}
    checks = [whole, *(_file(folder, name, digest) for name, digest in stated.items())]
    certificates = sorted(path for path in folder.iterdir() if is_certificate(path))
    own = [path for path in certificates if not whole.good or path.name in stated or not _is_of_table(path)]
    if whole.good:
        strangers = [path for path in own if path.name not in stated]
        checks += [Check(str(path), "is in the manifest", False, "it is not named") for path in strangers]
    for path in certificates:
        checks += [*figures(path), *_marked(path)]
    return checks + (_results(folder / RESULTS, own) if (folder / RESULTS).exists() else [])


def _marked(path: Path) -> list[Check]:
    """Say of a certificate that stands where none was given that it is no claim; it can be nothing more."""
    try:
        empty = is_not_given(read_certificate(path))
    except (UnderstudyError, OSError):
        return []  # it has failed its own check
    return [Check(str(path), "no certificate was given", True, "it says so")] if empty else []


def _is_of_table(path: Path) -> bool:
    """Whether a certificate is that of a table which lies beside it, and not of the audit."""
    tables = (each for each in path.parent.iterdir() if ending_of(each) and each.is_file())
    return any(certificate_path(each) == path for each in tables)


def _file(folder: Path, name: str, digest: str) -> Check:
    path = folder / name
    if not is_neighbour(name):
        return Check(str(path), "SHA-256", False, "not the name of a neighbour")
    if name in _AT_HOME and not path.exists():
        return Check(str(path), "SHA-256", True, "not here: it stays with those who may see the rows")
    return hashed(path, digest)


def _stated(path: Path) -> dict[str, str]:
    """Return the digest of every file that the manifest names."""
    tree = _tree(path)
    version, files = tree.get("format"), tree.get("files")
    if isinstance(version, int) and version > FORMAT:
        raise VersionError(f"audit: format {version} is newer than {FORMAT}; update understudy.")
    texts = isinstance(files, dict) and all(isinstance(digest, str) for digest in files.values())
    if version != FORMAT or tree.get("kind") != "audit" or not isinstance(files, dict) or not texts:
        raise CorruptModel("audit: this is not the manifest of an audit, or parts of it are gone.")
    if missing := sorted({SHARE, RESULTS} - set(files)):
        raise CorruptModel(f"audit: the manifest does not name {missing[0]}.")
    return files


def _tree(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        raw = file.read(_LARGEST + 1)
    try:
        tree = json.loads(raw)
    except (ValueError, RecursionError):
        raise CorruptModel("audit: the manifest is not JSON.") from None
    if not isinstance(tree, dict):
        raise CorruptModel("audit: this is not the manifest of an audit, or parts of it are gone.")
    return tree


def _results(path: Path, certificates: list[Path]) -> list[Check]:
    """Check that results.json can be read, and that what it claims is what a certificate beside it says."""
    parsed = tried(str(path), "can be read", lambda: Results.from_json(path.read_bytes()))
    if not parsed.good:
        return [parsed]
    claims = [each.certificate for each in Results.from_json(path.read_bytes()).candidates]
    agreed = partial(_refuse_other_claims, [claim for claim in claims if claim is not None], certificates)
    return [parsed, tried(str(path), "its figures are the certificates'", agreed)]


def _refuse_other_claims(claims: list[Claim], certificates: list[Path]) -> None:
    """Refuse claims that no certificate makes, and certificates that are not told of.

    A certificate that cannot be read has failed its own check, and what was claimed of it fails here.
    """
    told = {claim.chain for claim in claims}
    made: dict[str, tuple[str, dict[str, float | None]]] = {}
    for path in certificates:
        certificate = read_certificate(path)
        if is_not_given(certificate):
            continue  # it makes no claim that results could tell of
        made[digest_of(certificate.entries)] = (certificate.status, figures_of(certificate))
    if told != set(made):
        raise CorruptModel("results: they tell of other certificates than those that lie here.")
    for claim in claims:
        status, found = made[claim.chain]
        if claim.status != status or not _agree(claim.figures, found):
            raise CorruptModel("results: a figure is not that of the certificate.")


def _agree(stated: dict[str, float | None], found: dict[str, float | None]) -> bool:
    return set(stated) == set(found) and all(_close(stated[name], value) for name, value in found.items())


def _close(told: float | None, value: float | None) -> bool:
    if told is None or value is None:
        return told is value
    return math.isclose(told, value, rel_tol=CLOSE, abs_tol=1e-9)  # another machine may round differently
