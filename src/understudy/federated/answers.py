"""Answers that a site gave: the same question gets the same answer, and none is answered in two ways.

An answer is kept before it leaves, so a message that was lost on the way is sent again and never computed
again: the same noise must not hide two things, and fresh noise would have to be paid for. Of training rounds
the last few are kept; of an older one it stays known, on the disk too, what was asked, so that a site that
was killed does not compute it again either.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import final

from understudy.errors import CorruptModel, InputError
from understudy.federated.message import Message
from understudy.table.atomic import PRIVATE, sync_folder, write_bytes

__all__ = ["Answers"]

_KEPT = 4  # training rounds
_ENDING = ".answer"
_GONE = "gone"  # what is kept of an old answer: that there was one


@final
class Answers:
    """Questions by their key, the digest of each, and the answer; in a folder where one is given."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._asked: dict[str, str] = {}
        self._held: OrderedDict[str, Message] = OrderedDict()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in sorted(folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime_ns):
                self._take_up(path)

    def found(self, key: str, digest: str) -> Message | None:
        """Return the answer to this very question, if it was given; refuse another question of its key."""
        if key not in self._asked:
            return None
        if self._asked[key] != digest:
            raise InputError(f"Site: {key!r} was asked before, in other words; it is answered once.")
        if key not in self._held:
            raise InputError(f"Site: {key!r} was answered, and others after it; its answer is not kept.")
        return self._held[key]

    def holds(self, key: str, digest: str | None = None) -> bool:
        """Say whether a question, or this very one, was answered."""
        return key in self._asked and digest in (None, self._asked[key])

    def clear(self, last: str) -> None:
        """Forget all of it, the answer to `last` at the end: another run begins."""
        self._asked.clear()
        self._held.clear()
        if self._folder is not None:
            for path in self._folder.glob(f"*{_ENDING}"):
                if path != self._path(last):
                    path.unlink()
            sync_folder(self._folder)
            self._path(last).unlink(missing_ok=True)

    def keep(self, key: str, digest: str, answer: Message) -> None:
        """Keep an answer; it is on the disk when this comes back, if there is one."""
        self._asked[key] = digest
        self._held[key] = answer
        if self._folder is not None:
            self._write(key, answer)
        rounds = [each for each in self._held if each.startswith("train/")]
        for old in rounds[:-_KEPT]:
            del self._held[old]
            if self._folder is not None:
                self._write(old, Message(_GONE, {}))

    def _write(self, key: str, answer: Message) -> None:
        facts = {"key": key, "digest": self._asked[key], "kind": answer.kind, "facts": dict(answer.facts)}
        write_bytes(self._path(key), Message("kept", facts, answer.arrays).to_bytes(), PRIVATE)

    def _path(self, key: str) -> Path:
        assert self._folder is not None, "only what has a folder has files"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}{_ENDING}"

    def _take_up(self, path: Path) -> None:
        try:
            kept = Message.from_bytes(path.read_bytes())
            key, digest = kept.fact("key", str), kept.fact("digest", str)
            answer = Message(kept.fact("kind", str), kept.fact("facts", dict), kept.arrays)
        except InputError:
            raise CorruptModel(
                f"Site: the answer kept in {path.name!r} is damaged; nothing is sent."
            ) from None
        self._asked[key] = digest
        if answer.kind != _GONE:
            self._held[key] = answer
