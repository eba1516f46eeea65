"""TableDiffusion as a recipe: its presets, its other forms, and what it refuses."""

import pytest

from contract.quick_networks import declared, halves
from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.synth.tablediffusion import TableDiffusion

BUDGET = Budget(measure="rho", amount=1.0)


@pytest.mark.parametrize("mode", ["denoise", "noise"])
def test_the_modes_of_the_paper_are_private_too(mode):
    recipe = TableDiffusion(
        **{**TableDiffusion.small().settings(), "rate": 1.0, "mode": mode, "told_level": False}
    )
    table = halves(300)
    model = recipe.fit(table, declared(table), budget=BUDGET, progress=False)
    assert model.certificate.sound
    assert len(model.sample(20)) == 20


def test_what_is_no_mode_and_no_noise_is_refused():
    for wrong in ({"mode": "mean"}, {"least": 0.0}, {"times": 0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            TableDiffusion(**wrong)


def test_the_paper_has_five_levels_and_five_epochs_of_adult():
    paper = TableDiffusion.paper()
    assert (paper.times, paper.least, paper.mode, paper.told_level) == (5, 0.1, "noise", False)
    assert (paper.width, paper.depth, paper.noisy_lr, paper.momentum) == (128, 2, 5e-3, 0.5)
    assert paper.noisy_steps * paper.rate == pytest.approx(5, rel=0.01)
    assert paper.steps * paper.batch == pytest.approx(5 * 32_561, rel=0.01)
