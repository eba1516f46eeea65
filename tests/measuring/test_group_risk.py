"""Groups differ in what an attack finds, and the figures say so."""

import numpy as np
import pyarrow as pa
import pytest

from understudy.attacks.gan_leaks import GANLeaks
from understudy.errors import ParameterError
from understudy.measuring.group_risk import groups_at_risk
from understudy.table.evidence import Evidence


def people(rng, rows):
    return pa.table(
        {
            "x": rng.normal(size=rows),
            "y": rng.normal(size=rows),
            "who": rng.choice(["few", "many", "many"], rows),
        }
    )


@pytest.fixture(scope="module")
def one_group_is_copied():
    rng = np.random.default_rng(0)
    train, holdout, fresh = (people(rng, 900) for _ in range(3))
    few = np.array(train["who"].to_pylist()) == "few"
    fresh_many = fresh.filter(pa.array(np.array(fresh["who"].to_pylist()) == "many"))
    return Evidence(
        train=train, holdout=holdout, synthetic=pa.concat_tables([train.filter(pa.array(few)), fresh_many])
    )


def test_the_group_that_was_copied_is_found_and_the_other_is_not(one_group_is_copied):
    few, many = groups_at_risk(GANLeaks(), one_group_is_copied, "who", share=0.05)
    assert few.auroc > 0.99
    assert many.low < 0.5 < many.high
    assert few.lift_low > 2
    assert many.lift_high < 0.5
    assert few.members + many.members == 900


def test_shares_of_the_top_add_up(one_group_is_copied):
    groups = groups_at_risk(GANLeaks(), one_group_is_copied, "who", share=0.05)
    assert sum(group.lift * group.members for group in groups) == pytest.approx(900)


def test_a_quantity_is_cut_into_quarters_and_missing_cells_are_a_group(one_group_is_copied):
    groups = groups_at_risk(GANLeaks(), one_group_is_copied, "x")
    assert [group.members for group in groups] == [225, 225, 225, 225]
    rng = np.random.default_rng(1)
    cells = pa.table(
        {"x": [None if at % 4 == 0 else float(at) for at in range(80)], "y": rng.normal(size=80)}
    )
    shown = Evidence(train=cells, holdout=cells.slice(0, 60), synthetic=cells)
    assert groups_at_risk(GANLeaks(), shown, "x")[0].code == -1


def test_the_groups_of_a_fresh_sample_are_all_at_chance_in_most_seeds():
    inside = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shown = Evidence(**{role: people(rng, 300) for role in ("train", "holdout", "synthetic")})
        inside += sum(g.low <= 0.5 <= g.high for g in groups_at_risk(GANLeaks(), shown, "who"))
    assert inside >= 33  # of 40 intervals at 95 %: fewer by chance once in 2,000


def test_what_cannot_be_told_is_said():
    table = people(np.random.default_rng(0), 20)
    with pytest.raises(ParameterError, match="holdout"):
        groups_at_risk(GANLeaks(), Evidence(train=table, synthetic=table), "who")
    other = table.filter(pa.array(np.array(table["who"].to_pylist()) == "many"))
    groups = groups_at_risk(GANLeaks(), Evidence(train=table, holdout=other, synthetic=table), "who")
    assert len(groups) == 2
    assert sum(np.isnan(group.auroc) for group in groups) == 1
    with pytest.raises(ParameterError, match="no column"):
        groups_at_risk(GANLeaks(), Evidence(train=table, holdout=other, synthetic=table), "nobody")
