"""A table and its certificate, side by side; each is replaced in one step, the certificate first.

The certificate names the table by its SHA-256, so that whoever is handed the two can tell whether they
still belong together.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from understudy.errors import CorruptModel, InputError, WriteError
from understudy.privacy.certificate import Certificate, covering
from understudy.table.atomic import sync_folder, write_bytes
from understudy.table.permissions import narrow, take_after
from understudy.table.read import ENDINGS, ending_of
from understudy.table.staging import hidden_folder
from understudy.table.table import Table

__all__ = [
    "CERTIFICATE",
    "certificate_path",
    "file_digest",
    "refuse_file",
    "refuse_folder",
    "refuse_target",
    "release",
]

CERTIFICATE = ".certificate.json"


def release(table: Table, path: Path, certificate: Certificate, *, raw_csv: bool = False) -> Path:
    """Write the table and, beside it, its certificate; return the certificate's path."""
    _refuse_name(path)
    beside = certificate_path(path)
    try:
        with hidden_folder(path) as staged:
            table.write(staged / path.name, raw_csv=raw_csv)
            bound = covering(certificate, {path.name: file_digest(staged / path.name)})
            write_bytes(staged / beside.name, bound.to_json().encode())
            _dress(staged, path, beside)
            _move_both(staged, path, beside)
        sync_folder(path.parent)
    except OSError as error:
        raise WriteError(f"release: cannot write {str(path)!r} ({error.strerror or error}).") from None
    return beside


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a table lies.

    >>> certificate_path(Path("people.csv.gz")).name
    'people.certificate.json'
    """
    ending = ending_of(path) or ""
    return path.with_name(path.name[: len(path.name) - len(ending)] + CERTIFICATE)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_target(path: Path, *, sources: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse, before any work is done, an output that could not be written or would destroy something.

    What understudy wrote itself, a table with its certificate beside it, may be replaced; any other file
    only with `force`, and a source never.
    """
    if ending_of(path) is None:
        known, name = ", ".join(ENDINGS), path.name or str(path)
        raise InputError(f"output: the ending of {name!r} names no format; known endings: {known}.")
    _refuse_name(path)
    beside = certificate_path(path)
    for target in (path, beside):
        _refuse_place(target, sources)
    if force:
        return
    covered = _covered(beside)
    if path.exists() and path.stat().st_size and path.name not in covered:
        raise InputError(
            f"output: {str(path)!r} exists and is not a stand-in of understudy's; "
            "choose another name, or use --force."
        )
    # people.csv and people.parquet have one place for their certificates between them.
    if any(name != path.name and (path.parent / name).exists() for name in covered):
        raise InputError(
            f"output: {str(beside)!r} belongs to another file; "
            f"choose another name for {path.name!r}, or use --force."
        )


def refuse_folder(folder: Path, ours: Iterable[str], *, sources: Iterable[Path] = ()) -> None:
    """Refuse, before any work is done, an output folder that holds anything but the files that are `ours`."""
    if folder.is_dir():
        strangers = sorted(set(_listed(folder)) - set(ours))
        if strangers:
            raise InputError(
                f"output: {str(folder)!r} holds {strangers[0]!r}, which is no part of a model; "
                "choose another folder."
            )
    elif folder.exists() or folder.is_symlink():
        raise InputError(f"output: {str(folder)!r} is a file; name a folder.")
    if any(_same(folder / name, source) for source in sources for name in ours):
        raise InputError(f"output: {str(folder)!r} holds the data that is to be read; choose another folder.")


def refuse_file(path: Path, *, sources: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse, before any work is done, to write over a file that somebody may have edited by hand."""
    _refuse_place(path, sources)
    if path.exists() and path.stat().st_size and not force:
        raise InputError(f"output: {str(path)!r} exists; choose another name, or use --force to replace it.")


def _refuse_place(target: Path, sources: Iterable[Path]) -> None:
    if not target.parent.is_dir():
        raise InputError(f"output: there is no folder {str(target.parent)!r}; make it first.")
    if target.is_dir():
        raise InputError(f"output: {str(target)!r} is a folder; name a file.")
    if any(_same(target, source) for source in sources):
        raise InputError(f"output: {str(target)!r} is one of the files to be read; choose another name.")


def _covered(beside: Path) -> dict[str, str]:
    """Return the files that a certificate covers; none if there is no certificate."""
    if not beside.exists():
        return {}
    try:
        return Certificate.from_json(beside.read_bytes()).artefacts
    except (CorruptModel, OSError):
        raise InputError(
            f"output: {str(beside)!r} is in the way and is no certificate; "
            "choose another name, or use --force."
        ) from None


def _same(target: Path, source: Path) -> bool:
    try:
        return os.path.samefile(target, source)
    except (OSError, ValueError):  # one of them is not there, so they are two
        return False


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise InputError(f"output: cannot look into {str(folder)!r} ({error.strerror}).") from None


def _refuse_name(path: Path) -> None:
    try:
        path.name.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"output: the name {path.name!r} is not valid UTF-8, and the certificate must be able to name "
            "the file; choose another name."
        ) from None


def _dress(staged: Path, path: Path, beside: Path) -> None:
    """Give the new table the permissions of the old one, and the certificate those of its table."""
    new, bound = staged / path.name, staged / beside.name
    if path.exists():
        take_after(new, path.stat())
    take_after(bound, new.stat())
    if beside.exists():
        narrow(bound, beside.stat())


def _move_both(staged: Path, path: Path, beside: Path) -> None:
    """Move the new files over the old ones; if one cannot be moved, everything is as it was.

    The certificate goes first. Whoever comes between the two moves, or after a power cut there, finds
    a certificate that does not fit the table, which `verify` notices, and never a table without one.
    """
    kept = staged / f"old.{beside.name}" if os.path.lexists(beside) else None
    if kept is not None:
        _keep(beside, kept)
    try:
        os.replace(staged / beside.name, beside)
        os.replace(staged / path.name, path)
    except BaseException:
        if (staged / path.name).exists():  # an interrupt may come when both have been moved already
            _take_back(beside, kept)
        raise


def _take_back(beside: Path, kept: Path | None) -> None:
    if kept is None:
        beside.unlink(missing_ok=True)
    else:
        os.replace(kept, beside)


def _keep(old: Path, kept: Path) -> None:
    try:
        os.link(old, kept)
    except OSError:  # a file system without second names
        shutil.copy2(old, kept)
