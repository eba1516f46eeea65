"""The model folder: safetensors and JSON, a SHA-256 per part, written whole or not at all.

    model.json            format, recipe, settings, frame, facts, and the digest of every other part
    schema.json           the completed schema
    certificate.json      entries and what follows from them
    tensors.safetensors   the learned arrays

Nothing in it is code, and loading runs none: every part is hashed before it is parsed.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import CorruptModel, UnderstudyError, VersionError, WriteError
from understudy.privacy import Certificate
from understudy.table.atomic import write_bytes
from understudy.table.folder_swap import put_in_place, recover
from understudy.table.paths import as_path
from understudy.table.permissions import take_after
from understudy.table.schema import Schema
from understudy.table.staging import hidden_folder
from understudy.version import TOOL

if TYPE_CHECKING:
    from understudy.model.model import Model

__all__ = ["FORMAT", "Parts", "digest", "open_parts", "save"]

FORMAT = 1
MANIFEST = "model.json"
PARTS = ("certificate.json", "schema.json", "tensors.safetensors")
LARGEST_MANIFEST = 64 * 2**20
PRIVATE, PUBLIC = 0o700, 0o777  # of a folder that waits for the permissions of an old one, of a new folder


@final
class Parts:
    """The checked parts of a model folder, before a recipe turns them into a model."""

    __slots__ = ("certificate", "facts", "frame", "recipe", "schema", "settings", "tensors")

    def __init__(self, manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
        from safetensors import SafetensorError
        from safetensors.numpy import load

        self.recipe: str = manifest["recipe"]
        self.settings: dict[str, Any] = manifest["settings"]
        self.facts: dict[str, Any] = manifest["facts"]
        self.frame: dict[str, Any] | None = manifest["frame"]
        try:
            self.schema = Schema.from_json(contents["schema.json"])
            self.certificate = Certificate.from_json(contents["certificate.json"])
            self.tensors: dict[str, npt.NDArray[Any]] = load(contents["tensors.safetensors"])
        except VersionError:
            raise
        except (SafetensorError, UnderstudyError, KeyError, ValueError, TypeError) as error:
            raise CorruptModel(f"model: a part of it cannot be read ({type(error).__name__}).") from None


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def save(model: Model, folder: str | Path) -> Path:
    """Write the model folder beside its place and move it there in one step; an old model is replaced."""
    target = _place(folder)
    try:
        recover(target)
        _refuse_occupied(target)
        contents = _contents(model)
        target.parent.mkdir(parents=True, exist_ok=True)
        with hidden_folder(target, PRIVATE if target.exists() else PUBLIC) as fresh:
            _fill(fresh, contents, target)
            put_in_place(fresh, target)
    except OSError as error:
        raise WriteError(f"save: cannot write {str(folder)!r} ({error.strerror or error}).") from None
    return Path(folder)


def open_parts(folder: Path) -> Parts:
    """Read a model folder: format first, then the digest of every part, and only then its content."""
    _bring_back(folder)
    manifest = _manifest(folder)
    contents = {name: _read(folder / name) for name in PARTS}
    wrong = [name for name in PARTS if digest(contents[name]) != manifest["parts"].get(name)]
    if wrong:
        raise CorruptModel(f"model: {wrong[0]} is not the file that was saved; its SHA-256 differs.")
    return Parts(manifest, contents)


def _contents(model: Model) -> dict[str, bytes]:
    from safetensors.numpy import save as to_safetensors

    tensors, facts = model.sampler.state()
    parts = {
        "schema.json": model.schema.to_json().encode(),
        "certificate.json": model.whole.to_json().encode(),
        "tensors.safetensors": to_safetensors({name: np.ascontiguousarray(t) for name, t in tensors.items()}),
    }
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "tool": TOOL,
        "recipe": model.recipe,
        "settings": model.settings,
        "facts": facts,
        "frame": None if model.frame is None else json.loads(model.frame.to_json()),
        "parts": {name: digest(content) for name, content in parts.items()},
    }
    manifest["seal"] = _seal(manifest)
    # The manifest goes last: a folder without one is never taken for a model.
    return {**parts, MANIFEST: _written(manifest)}


def _written(manifest: dict[str, Any]) -> bytes:
    """Return the one way in which a manifest is written: a blank more or less shows that it was altered."""
    return (json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _seal(manifest: dict[str, Any]) -> str:
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return digest(json.dumps(rest, sort_keys=True, ensure_ascii=True).encode())


def _manifest(folder: Path) -> dict[str, Any]:
    if not os.path.isfile(folder / MANIFEST):
        raise CorruptModel(f"model: {str(folder)!r} holds no {MANIFEST}; this is not a model folder.")
    raw = _read(folder / MANIFEST, most=LARGEST_MANIFEST)
    try:
        tree = json.loads(raw)
        version = tree["format"]
        if isinstance(version, int) and version > FORMAT:
            raise VersionError(f"model: format {version} is newer than {FORMAT}; update understudy.")
        whole = (
            version == FORMAT and _has_shape(tree) and tree["seal"] == _seal(tree) and raw == _written(tree)
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise CorruptModel(f"model: {MANIFEST} was altered or is not a model's.")
    found: dict[str, Any] = tree
    return found


def _has_shape(tree: dict[str, Any]) -> bool:
    kinds = {"tool": str, "recipe": str, "settings": dict, "facts": dict, "parts": dict, "seal": str}
    whole = set(tree) == {*kinds, "format", "frame"} and isinstance(tree["frame"], dict | None)
    return whole and all(isinstance(tree[key], kind) for key, kind in kinds.items())


def _read(path: Path, most: int | None = None) -> bytes:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe that nobody writes to would never end
            raise CorruptModel(f"model: {path.name} is not a plain file.")
        if most is not None and found.st_size > most:
            raise CorruptModel(f"model: {path.name} is larger than {most // 2**20} MiB.")
        return path.read_bytes()
    except OSError as error:
        raise CorruptModel(f"model: cannot read {path.name} ({error.strerror}).") from None


def _refuse_occupied(target: Path) -> None:
    """Refuse a place that holds anything but one whole model: what is there would be lost."""
    try:
        found = set(os.listdir(target))
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteError(f"save: cannot use {str(target)!r} as a folder ({error.strerror}).") from None
    if found and found != {MANIFEST, *PARTS}:
        raise WriteError(f"save: {str(target)!r} holds other files than a model's; choose another name.")


def _bring_back(folder: Path) -> None:
    """Look for the model of a save that was killed halfway; if it cannot be moved, it counts as missing."""
    target = _place(folder)
    if not os.path.lexists(target):
        with suppress(OSError):
            recover(target)


def _fill(fresh: Path, contents: dict[str, bytes], target: Path) -> None:
    """Write the parts with the permissions of those that they replace, and the folder's own last of all."""
    for name, content in contents.items():
        write_bytes(fresh / name, content)
        if (target / name).exists():
            take_after(fresh / name, (target / name).stat())
    if target.exists():
        take_after(fresh, target.stat())


def _place(folder: object) -> Path:
    """Return where a model folder really lies; a link to one is followed."""
    path = as_path(folder, "model")
    return Path(os.path.realpath(path))
