"""Who is at risk: copied people are found, their group is named, and places lead back to the table."""

import numpy as np
import pandas as pd

from understudy import attacks
from understudy.study.at_risk import groups, overlay, records
from understudy.table.evidence import Evidence


def law(seed, size=300):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"x": rng.normal(size=size), "y": rng.normal(size=size), "who": rng.choice(["a", "b"], size)}
    )


def evidence():
    """A stand-in that copies the rows of one group and draws the others anew."""
    train, fresh = law(0), law(1)
    copied = train["who"] == "a"
    synthetic = pd.concat([train[copied], fresh[fresh["who"] == "b"]])
    return Evidence(train=train, holdout=law(2), reference=law(3), synthetic=synthetic)


def test_the_group_that_was_copied_comes_first():
    shown = evidence()
    results = attacks.run(shown, "quick", 0, ["gan_leaks", "mc"], 0, progress=False)
    first = next(group for group in groups(results, shown, 0) if group.column == "who")
    assert first.label == "a" and first.auroc > 0.95 and first.members >= 10


def test_records_are_those_that_were_copied_and_places_can_be_mapped():
    shown = evidence()
    results = attacks.run(shown, "quick", 0, ["gan_leaks"], 0, progress=False)
    who = shown.table("train").to_pandas()["who"].to_numpy()
    found = records(results, shown)
    assert found and all(who[record.place] == "a" for record in found)
    mapped = records(results, shown, list(range(1_000, 1_300)))
    assert [record.place - 1_000 for record in mapped] == [record.place for record in found]


def test_without_a_holdout_there_are_no_groups():
    shown = Evidence(train=law(0), synthetic=law(1))
    assert groups([], shown, 0) == ()


def test_the_overlay_has_both_kinds_of_rows_and_is_confidential():
    found = overlay(evidence(), 40, seed=0)
    assert found.confidential
    assert [(label, len(points)) for label, points in found.clouds] == [
        ("real rows", 40),
        ("synthetic rows", 40),
    ]
