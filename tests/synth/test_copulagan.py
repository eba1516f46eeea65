"""CopulaGAN as a recipe: ranks before the networks, and columns that come back with their own law."""

import numpy as np
import pytest

from contract.quick_networks import fitted, halves
from understudy.synth.copulagan import CopulaGAN

pytest.importorskip("torch")


def test_the_paper_is_a_preset():
    paper = CopulaGAN.paper()
    assert (paper.epochs, paper.batch, paper.pac, paper.lr, paper.few) == (300, 500, 10, 2e-4, 0)


def test_numbers_are_ranks_and_have_no_bounds_of_the_networks_own():
    recipe = CopulaGAN.small()
    assert recipe.method(noisy=False).style.numbers == "quantile_normal"
    assert not recipe.rules(noisy=False).bounded and recipe.rules(noisy=False).logs


def test_each_quantity_keeps_its_own_law():
    drawn = fitted("copulagan").sample(2_000, seed=0)
    for name in ("number", "spent"):
        real, made = (np.sort(t[name].drop_null().to_numpy()) for t in (halves(), drawn))
        for share in (0.1, 0.5, 0.9):
            assert np.mean(made <= np.quantile(real, share)) == pytest.approx(share, abs=0.04)
