"""Attacks tried where only a holdout was given: half of it is what adversaries have who need rows.

The other attacks keep the whole holdout, as they do in an audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from understudy import attacks
from understudy.result import Result
from understudy.study.splitting import halves
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema

__all__ = ["HALVED", "informed", "try_attacks"]

HALVED = "no reference was given: half of the holdout rows stand for what an adversary has"


def try_attacks(
    evidence: Evidence, names: Sequence[str], seed: int, *, schema: Schema | None = None, **known: Any
) -> list[Result]:
    """Run these attacks, each on the tables that it needs; `known` is what `attacks.run` takes besides."""
    divided = informed(evidence, seed, schema)
    if divided is None:
        return attacks.run(evidence, seed=seed, names=names, **known)
    needing = [name for name in names if "reference" in getattr(attacks.get(name), "sees", ())]
    others = [name for name in names if name not in needing]
    found = attacks.run(evidence, seed=seed, names=others, **known) if others else []
    if needing:
        told = attacks.run(divided, seed=seed, names=needing, **known)
        found += [replace(result, notes=(*result.notes, HALVED)) for result in told]
    return sorted(found, key=lambda result: result.name)


def informed(evidence: Evidence, seed: int, schema: Schema | None = None) -> Evidence | None:
    """Return evidence whose reference is half of the holdout; None if there is a reference, or too little.

    >>> import pyarrow as pa
    >>> real, other = pa.table({"x": list(range(40))}), pa.table({"x": list(range(60, 100))})
    >>> divided = informed(Evidence(train=real, synthetic=real, holdout=other), seed=0)
    >>> len(divided.table("holdout")), len(divided.table("reference"))
    (20, 20)
    """
    if evidence.has("reference") or not evidence.has("holdout"):
        return None
    parts = halves(evidence.table("holdout"), seed)
    if parts is None:
        return None
    return Evidence(
        train=evidence.table("train"),
        synthetic=evidence.table("synthetic"),
        holdout=parts[0],
        reference=parts[1],
        schema=schema,
    )
