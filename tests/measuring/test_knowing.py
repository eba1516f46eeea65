"""What attacks are told: recipe and budget where the synthesizer is trained again, and nothing else."""

import json

from understudy.attacks.dpi import DPI
from understudy.attacks.epsilon_audit import EpsilonAudit
from understudy.attacks.mia import MIA
from understudy.attacks.rmia import RMIA
from understudy.measuring.knowing import knowing
from understudy.privacy.budget import Budget
from understudy.synth.histogram import Histogram

BUDGET = Budget(epsilon=2, delta=1e-6)


def test_who_trains_the_synthesizer_again_is_told_name_settings_and_budget():
    for kind in (RMIA, MIA):
        told = knowing(kind, Histogram(knots=4), BUDGET)
        assert told.recipe == "histogram" and json.loads(told.settings)["knots"] == 4
        assert json.loads(told.budget) == {"epsilon": 2, "delta": 1e-6}
        assert knowing(kind, Histogram(), None).budget == ""


def test_without_a_recipe_every_attack_has_its_defaults():
    assert knowing(RMIA, None, None) == RMIA()
    assert knowing(DPI, Histogram(), BUDGET) == DPI()


def test_the_audit_of_epsilon_holds_the_tables_against_the_budget_and_fits_nothing():
    assert knowing(EpsilonAudit, Histogram(), BUDGET) == EpsilonAudit(epsilon=2.0, delta=1e-6)
    assert knowing(EpsilonAudit, Histogram(), Budget.gdp(1.0)) == EpsilonAudit()
