"""Whether two trainings are the same one: a digest of models, settings, functions and rows."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

__all__ = ["digest_of"]


def digest_of(*parts: Any) -> str:
    """Return a SHA-256 that differs where a part does, and is the same in another process.

    A function is known by its name, its closure and the object it belongs to; a model by its weights and its
    plain attributes; any other object by its attributes, unless it has a `repr` of its own.

    >>> digest_of("a", 1) == digest_of("a", 1), digest_of("a", 1) == digest_of("a", 2)
    (True, False)
    """
    return _joined(parts, ()).hex()


def _joined(parts: Iterable[Any], path: tuple[int, ...]) -> bytes:
    found = hashlib.sha256()
    for part in parts:
        content = _described(part, path)
        found.update(len(content).to_bytes(8, "big") + content)
    return found.digest()


def _described(part: Any, path: tuple[int, ...]) -> bytes:
    if id(part) in path:  # an object that leads back to itself
        return b"again"
    inner, kind = (*path, id(part)), type(part).__qualname__.encode() + b" "
    if isinstance(part, torch.Tensor):
        own = part.detach().cpu().contiguous()
        # Of a tensor without a number no other view can be taken.
        bare = own.view(-1).view(torch.uint8) if own.numel() else torch.zeros(0, dtype=torch.uint8)
        return _described(bare.numpy(), path)
    if isinstance(part, np.ndarray):
        return f"{part.dtype.str} {part.shape} ".encode() + np.ascontiguousarray(part).tobytes()
    if isinstance(part, Mapping):
        return kind + _joined((item for pair in part.items() for item in pair), inner)
    if isinstance(part, tuple | list):
        return kind + _joined(part, inner)
    held = _held(part)
    return repr(part).encode() if held is None else kind + _joined(held, inner)


def _held(part: Any) -> list[Any] | None:
    """Return what an object is made of; None where its `repr` tells."""
    if isinstance(part, nn.Module):
        plain = {name: value for name, value in vars(part).items() if not name.startswith("_")}
        plain.pop("training")
        return [dict(part.state_dict()), plain, list(part.children())]
    if isinstance(part, functools.partial):
        return [part.func, part.args, part.keywords]
    if hasattr(part, "__qualname__"):  # a function, a method, a class
        owner = getattr(part, "__self__", None)
        cells = [_content(cell) for cell in getattr(part, "__closure__", None) or ()]
        return [part.__qualname__, None if isinstance(owner, ModuleType | type) else owner, cells]
    unnamed: Any = object.__repr__
    told = type(part).__repr__ is not unnamed and not hasattr(part, "__dataclass_fields__")
    return None if told else sorted(getattr(part, "__dict__", {}).items())


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not bound yet
        return "empty"
