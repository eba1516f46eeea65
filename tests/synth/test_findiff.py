"""FinDiff as a recipe: its presets, its other forms, and what it refuses."""

import pytest

from contract.quick_networks import declared, halves
from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.synth.findiff import FinDiff

BUDGET = Budget(measure="rho", amount=1.0)


@pytest.mark.parametrize("changes", [{"head": "nearest", "embedding": "random"}, {"embedding": "learned"}])
def test_the_other_ways_to_place_and_to_read_points_are_private_too(changes):
    recipe = FinDiff(**{**FinDiff.small().settings(), "rate": 1.0, **changes})
    table = halves(300)
    model = recipe.fit(table, declared(table), budget=BUDGET, progress=False)
    assert model.certificate.sound
    assert len(model.sample(20)) == 20


def test_learned_points_with_the_nearest_head_are_refused():
    with pytest.raises(ParameterError, match="logits"):
        FinDiff(embedding="learned", head="nearest")


def test_the_paper_has_random_points_in_a_plane_and_visits_every_time():
    paper = FinDiff.paper()
    assert (paper.embedding, paper.embedding_width, paper.head) == ("random", 2, "nearest")
    assert (paper.width, paper.depth, paper.batch, paper.lr) == (1_024, 4, 512, 1e-4)
    assert paper.times == paper.sampling_steps == 500
    assert (paper.eta, paper.predicts) == (1, "eps")
    assert paper.steps * paper.batch == pytest.approx(500 * 32_561, rel=1e-4)
