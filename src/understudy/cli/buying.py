"""What `schema --epsilon` does: buy a schema, and write it with the certificate of what it cost."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from understudy.cli.learning import Source

if TYPE_CHECKING:
    from understudy.privacy import Budget, Certificate
    from understudy.table.schema import Schema

__all__ = ["Purchase", "buy"]


@final
@dataclass(frozen=True)
class Purchase:
    """A schema to be bought: for how much, where the ledger is kept, and where the schema goes."""

    budget: Budget
    run: Path | None = None
    output: Path | None = None
    force: bool = False
    progress: bool = True


def buy(source: Source, wish: Purchase) -> tuple[Schema, Certificate, list[Path]]:
    """Return the schema, its certificate and what was written: schema and certificate, or nothing."""
    from understudy.model.bought_schema import buy_schema
    from understudy.table.release import certificate_path, refuse_file

    paths = [] if wish.output is None else [wish.output, certificate_path(wish.output)]
    for path in paths:
        refuse_file(path, sources=source.files(), force=wish.force)
    found, certificate = buy_schema(source.read(), wish.budget, run=wish.run, progress=wish.progress)
    if paths:
        _write(found, certificate, paths)
    return found, certificate, paths


def _write(found: Schema, certificate: Certificate, paths: list[Path]) -> None:
    """Write the certificate first: a schema that was bought never lies there without one."""
    from understudy.privacy.certificate import covering
    from understudy.table.atomic import write_bytes

    content = found.to_json().encode()
    bound = covering(certificate, {paths[0].name: hashlib.sha256(content).hexdigest()})
    write_bytes(paths[1], bound.to_json().encode())
    write_bytes(paths[0], content)
