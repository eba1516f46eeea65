"""Shadow models on targets and reference rows together: each target is inside half of them.

That is the adversary of paper 000: he has the targets and rows of the same population, and trains the
synthesizer on random parts of both. A target that equals another row of the pool is that row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.engines.shadows.plan import Mask
from understudy.measuring.membership import Targets
from understudy.measuring.rehearsal import with_reference
from understudy.measuring.shadow_cast import Shown, Size, cast, different
from understudy.measuring.shadow_fit import Synthesizer
from understudy.measuring.view import ranged
from understudy.rng import stream
from understudy.table.agreement import gather
from understudy.table.evidence import Evidence, Role
from understudy.table.roles import row_keys
from understudy.table.table import Table

__all__ = ["cast_on_targets"]


def cast_on_targets(
    evidence: Evidence, targets: Targets, recipe: Synthesizer, size: Size, seed: int
) -> tuple[Shown, Mask]:
    """Return the shadows, and which target is inside which model: (models, targets).

    `size.records` is how many reference rows there are beside the targets, at most.
    """
    reference = different(evidence.coded("reference"))
    if len(reference) > size.records:
        draws = stream(seed, "pool", "reference")
        reference = np.sort(reference[draws.choice(len(reference), size.records, replace=False)])
    parts: dict[Role, npt.NDArray[np.int64]] = {
        "train": targets.members,
        "holdout": targets.others,
        "reference": reference,
    }
    tables: list[pa.Table] = [evidence.table(role).to_arrow().take(places) for role, places in parts.items()]
    pool = with_reference(evidence, Table(gather(tables, tables[0].schema.names)))
    shown = cast(pool, "reference", recipe, replace(size, records=sum(map(len, tables))), seed)
    # Told in the range of the pool: the training rows are what the adversary wants to learn about.
    domain = tuple(ranged(column, shown.records) for column in shown.records.domain)
    keys, asked = row_keys(shown.records), row_keys(targets.rows)
    order = np.argsort(keys)
    places = order[np.searchsorted(keys[order], asked)]
    return replace(shown, records=replace(shown.records, domain=domain)), shown.inside[:, places]
