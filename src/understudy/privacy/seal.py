"""A seal: from here on a part of what is made is fixed, whatever is read afterwards.

The flow of private rows is taken from the order of things, not from anybody's word: a part can depend on
every read before its seal and on none after it, because its hash was written down in between.
What has no seal depends on every read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, final

from understudy.errors import CorruptModel, ParameterError

__all__ = ["Seal", "seal_from_dict", "seal_to_dict"]

_DIGEST = re.compile(r"[0-9a-f]{64}")


@final
@dataclass(frozen=True)
class Seal:
    """A part by its name and SHA-256, and how many entries the ledger had when it was fixed."""

    part: str
    digest: str
    after: int

    def __post_init__(self) -> None:
        if not isinstance(self.part, str) or not self.part.strip():
            raise ParameterError("seal: name the part that is sealed.")
        if not isinstance(self.digest, str) or not _DIGEST.fullmatch(self.digest):
            raise ParameterError(f"seal {self.part!r}: needs the SHA-256 of the part, 64 hexadecimal digits.")
        if isinstance(self.after, bool) or not isinstance(self.after, int) or self.after < 0:
            raise ParameterError(f"seal {self.part!r}: the number of entries before it is a whole number.")


def seal_to_dict(seal: Seal) -> dict[str, Any]:
    """Return the seal as plain values."""
    return {"part": seal.part, "digest": seal.digest, "after": seal.after}


def seal_from_dict(tree: dict[str, Any]) -> Seal:
    """Return the seal that `seal_to_dict` wrote.

    >>> seal_from_dict({"part": "weights", "digest": "ab" * 32, "after": 1}).part
    'weights'
    """
    if not isinstance(tree, dict) or set(tree) != {"part", "digest", "after"}:
        raise CorruptModel("ledger: a seal does not hold what it must.")
    try:
        return Seal(tree["part"], tree["digest"], tree["after"])
    except ParameterError:
        raise CorruptModel("ledger: a seal does not hold what it must.") from None
