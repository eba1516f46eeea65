"""ADS-GAN as a recipe: two forms of its term, both of which push rows away, and no guarantee."""

from dataclasses import replace

import numpy as np
import pytest

from contract.quick_networks import GAME, declared, halves
from understudy import Budget
from understudy.errors import BudgetError
from understudy.synth.adsgan import ADSGAN

pytest.importorskip("torch")

SMALL = ADSGAN.small()


def test_the_paper_is_a_preset():
    paper = ADSGAN.paper()
    assert paper.identifiability == "paper" and (paper.width, paper.batch, paper.lr) == (500, 200, 1e-3)


def test_the_two_forms_differ_in_what_the_generator_is_given():
    pairs, paper = (replace(SMALL, identifiability=form).rules(noisy=False) for form in ("pairs", "paper"))
    assert (pairs.given, paper.given) == (False, True)
    assert pairs.apart == paper.apart == 0.1 and not pairs.asks and not paper.asks


def test_a_budget_is_refused_before_anything_is_read():
    table = halves(50)
    with pytest.raises(BudgetError, match="adsgan: this recipe has no private form"):
        SMALL.fit(table, declared(table), budget=Budget(epsilon=1.0, delta=1e-6), progress=False)
    with pytest.raises(BudgetError, match="no private form"):
        SMALL.asks(declared(table))


@pytest.mark.parametrize("form", ["pairs", "paper"])
def test_a_large_weight_drives_rows_away_from_real_ones(form):
    recipe = ADSGAN(**GAME | {"steps": 150}, identifiability=form, few=0)
    near, far = (
        replace(recipe, apart=weight).fit(halves(), seed=0, progress=False).sampler for weight in (0.0, 50.0)
    )
    real, distance = np.array(halves()["number"]), []
    for sampler in (near, far):  # as the network draws: columns by themselves are then made as they were
        rng = np.random.default_rng(0)
        rows = sampler.codec.decode(sampler.generator.draw(400, rng), rng)
        distance.append(np.abs(rows["number"][:, None] - real).mean())
    assert distance[1] > 1.1 * distance[0]
