"""Evidence in a private folder, from which other processes open it without a copy.

The folder is in shared memory where there is room, else among the temporary files; only its owner can enter
it. It holds the tables as Arrow files and everything that is made of them as a shared cache. It is gone when
the block ends, however it ends; what a killed process leaves is taken away by the next one.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from understudy.measuring.cache import SharedCache
from understudy.table.evidence import Evidence, Role
from understudy.table.files import write_arrow
from understudy.table.staging import hidden_folder
from understudy.table.table import Table

__all__ = ["reopen", "shared"]

MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it is private and has a name of its own
ROOM = 4  # times the bytes of the tables: themselves, their codes, and what measures put up
SPARE = 256 * 2**20
FACTS, CACHE = "facts.json", "cache"


@contextmanager
def shared(evidence: Evidence) -> Iterator[Path]:
    """Yield a folder from which `reopen` gives this evidence to any process of the same user."""
    with hidden_folder(_place(evidence) / "understudy-evidence") as folder:
        _write(evidence, folder)
        # What was freed while reading and coding is kept for later by Arrow; others need it now.
        pa.default_memory_pool().release_unused()
        yield folder


def reopen(folder: Path) -> Evidence:
    """Return the evidence of a shared folder; its tables stay in the files."""
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    tables: dict[str, Any] = {role: Table(_mapped(folder / f"{role}.arrow")) for role in facts["roles"]}
    return Evidence(**tables, target=facts["target"], cache=SharedCache(folder / CACHE))


def _write(evidence: Evidence, folder: Path) -> None:
    (folder / CACHE).mkdir(mode=0o700)
    roles = [role for role in get_args(Role) if evidence.has(role)]
    for role in roles:
        with pa.OSFile(str(folder / f"{role}.arrow"), "wb") as file:
            write_arrow(evidence.table(role).to_arrow(), file)
    cache = SharedCache(folder / CACHE)
    cache.find(("schema",), lambda: evidence.schema)
    cache.find(("coding",), lambda: evidence.coding)
    cache.find(("notes",), lambda: evidence.notes)
    for role in roles:
        cache.find(("coded", role), lambda role=role: evidence.coded(role))  # type: ignore[misc]
    facts = {"roles": roles, "target": evidence.target if evidence.chose_target else None}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def _mapped(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _place(evidence: Evidence) -> Path:
    size = sum(evidence.table(role).to_arrow().nbytes for role in get_args(Role) if evidence.has(role))
    roomy = (
        MEMORY.is_dir()
        and os.access(MEMORY, os.W_OK | os.X_OK)
        and shutil.disk_usage(MEMORY).free > ROOM * size + SPARE
    )
    return MEMORY if roomy else Path(tempfile.gettempdir())
