"""Membership: a score per record, and what is made of it."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pytest

from understudy.measuring.membership import Membership
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


@final
@dataclass(frozen=True)
class Guess(Membership):
    """An adversary that guesses."""

    def accuse(self, targets, evidence, rng):
        del evidence
        return rng.random(len(targets))


@final
@dataclass(frozen=True)
class Dose(Membership):
    """An adversary that accuses by one cell; it needs a reference."""

    sees: ClassVar = ("synthetic", "reference")

    def accuse(self, targets, evidence, rng):
        del evidence, rng
        return np.nan_to_num(targets["dose"])


def evidence(**more):
    given = {"train": law(400, 1), "holdout": law(400, 2), "synthetic": law(400, 3)}
    return Evidence(**(given | more))


def test_guessing_is_chance_in_at_least_93_of_100_seeds():
    shown = evidence()
    found = [Guess()(shown, seed=seed) for seed in range(100)]
    covered = sum(result.low <= 0.5 <= result.high for result in found)
    assert covered >= 93  # of 1,000 seeds 94.7 % cover; of a hundred at 95 % fewer than 93 do one time in 8
    assert all(result.null == 0.5 for result in found)
    assert np.mean([result.parts["epsilon"] > 0 for result in found]) <= 0.12


def test_an_adversary_who_tells_members_by_a_cell_is_seen():
    high = law(800, 1).to_pandas().sort_values("dose", ascending=False, na_position="last")
    shown = evidence(train=high.head(400), holdout=high.tail(400), reference=law(100, 4))
    found = Dose()(shown)
    assert found.value > 0.9
    assert found.low > 0.85
    assert found.parts["epsilon"] > 1


def test_records_are_scored_at_their_places():
    found = Guess(targets=50)(evidence())
    assert found.n == 100
    assert len(found.per_record) == 400
    assert sum(not np.isnan(score) for score in found.per_record) == 50
    assert any("50 of 400" in note for note in found.notes)


@pytest.mark.parametrize("lacking", ["holdout", "reference"])
def test_without_a_table_that_it_needs_there_is_no_value_and_a_note_says_so(lacking):
    shown = evidence(
        **({"reference": None} if lacking == "reference" else {"holdout": None, "reference": law(100, 4)})
    )
    found = Dose()(shown)
    assert np.isnan(found.value)
    assert any(lacking in note for note in found.notes)


def test_parts_are_those_that_readers_look_for():
    parts = Guess()(evidence()).parts
    assert {"auroc", "tpr_at_fpr_0.01", "tpr_at_fpr_0.001", "advantage", "epsilon"} < set(parts)
    curve = {float(name.removeprefix("tpr_at_fpr_")): tpr for name, tpr in parts.items() if "_fpr_" in name}
    assert [curve[fpr] for fpr in sorted(curve)] == sorted(curve.values())
    assert 0 <= parts["sure_tpr"] <= 1 and 0 <= parts["sure_fpr"] <= 1


def test_adversaries_of_one_seed_judge_the_same_targets_and_those_of_another_seed_others():
    shown = evidence(reference=law(100, 4))
    judged = [
        tuple(np.isnan(attack(targets=50)(shown, seed=seed).per_record))
        for attack, seed in ((Guess, 1), (Dose, 1), (Guess, 2))
    ]
    assert judged[0] == judged[1] != judged[2]
