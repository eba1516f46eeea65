"""Who is at risk: the groups that the strongest attack finds best, the worst records, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy import attacks
from understudy.measuring.at_risk import records_at_risk
from understudy.measuring.encoder import Encoder
from understudy.measuring.group_risk import GroupAtRisk, groups_of, scored
from understudy.measuring.membership import Membership
from understudy.measuring.plane import embedded
from understudy.report.dossier import Group, Points, Record
from understudy.result import Result
from understudy.rng import seed_of, stream
from understudy.table.evidence import Evidence

__all__ = ["groups", "overlay", "records"]

MOST_GROUPS = 15
MOST_RECORDS = 50
_FEWEST = 10  # members of a group that is told
_MOST_LEVELS = 50
_QUARTERS = ("missing", "lowest quarter", "second quarter", "third quarter", "highest quarter")


def groups(results: Sequence[Result], evidence: Evidence, seed: int) -> tuple[Group, ...]:
    """Return the groups whose members the strongest attack tells best from others, the surest first."""
    attack = _strongest(results)
    if attack is None or not evidence.has("holdout"):
        return ()
    found = scored(attack, evidence, seed)
    few = [c.name for c in evidence.coded("train").domain if c.quantity or c.levels <= _MOST_LEVELS]
    told = [group for name in few for group in groups_of(found, name) if group.members >= _FEWEST]
    sure = sorted(told, key=lambda group: -np.nan_to_num(group.low, nan=-1.0))
    return tuple(_named(group, attack, evidence) for group in sure[:MOST_GROUPS])


def records(
    results: Sequence[Result], evidence: Evidence, places: Sequence[int] | None = None
) -> tuple[Record, ...]:
    """Return the records that successful attacks point at; `places` maps rows to those of a larger table."""
    attacks_alone = [result for result in results if result.name.startswith("privacy.")]
    return tuple(
        Record(each.id, each.place if places is None else int(places[each.place]), each.attacks, each.rank)
        for each in records_at_risk(attacks_alone, evidence)[:MOST_RECORDS]
    )


def overlay(evidence: Evidence, rows: int, seed: int) -> Points:
    """Return training and synthetic rows on one plane (t-SNE), at most so many of each."""
    draws = stream(seed, "audit", "overlay")
    train, synthetic = (evidence.coded(role).draw(rows, draws) for role in ("train", "synthetic"))
    both = train.joined(synthetic)
    points = embedded(Encoder.fit(both).matrix(both), seed_of(draws))
    clouds = ("real rows", points[: len(train)]), ("synthetic rows", points[len(train) :])
    return Points(
        "Real and synthetic rows, neighbours beside each other (t-SNE)",
        tuple(
            (label, tuple((round(x, 2), round(y, 2)) for x, y in cloud.tolist())) for label, cloud in clouds
        ),
        confidential=True,
    )


def _strongest(results: Sequence[Result]) -> Membership | None:
    """Return the attack that tells members best, of those that score single records by themselves."""
    found = []
    for result in results:
        name = result.name.partition(".")[2]
        if result.name.startswith("privacy.") and name in attacks.names() and not np.isnan(result.low):
            attack = attacks.get(name)()
            if isinstance(attack, Membership):
                found.append((result.low, attack))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _named(group: GroupAtRisk, attack: Membership, evidence: Evidence) -> Group:
    return Group(
        group.column,
        _label(group, evidence),
        attack.title(),
        group.members,
        group.auroc,
        group.low,
        group.high,
        group.lift,
        group.lift_low,
        group.lift_high,
    )


def _label(group: GroupAtRisk, evidence: Evidence) -> str:
    levels = evidence.coding.levels.get(group.column)
    if levels is None:
        return _QUARTERS[group.code + 1] if group.code < 4 else f"part {group.code + 1}"
    return "missing" if group.code < 0 else str(levels[group.code].as_py())
