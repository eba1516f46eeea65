import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.measuring.claim import FPRS, claim_of, curve_under, of_budget
from understudy.privacy import Budget, Certificate, Entry
from understudy.privacy.events import Gaussian


def test_a_budget_claims_the_curve_of_its_mu():
    assert of_budget(Budget.separation(0.1)).separation() == pytest.approx(0.1)
    assert of_budget(Budget(epsilon=2.0, delta=1e-6)).epsilon(1e-6) == pytest.approx(2.0)


def test_other_budgets_are_refused():
    with pytest.raises(ParameterError, match="rho"):
        of_budget(Budget.zcdp(0.1))


def test_a_certificate_is_the_claim_where_it_bounds_anything():
    sound = Certificate((Entry("sums", "measure", Gaussian(2.0)),))
    opened = Certificate((*sound.entries, Entry("all rows", "train")))
    budget = Budget(epsilon=1.0, delta=1e-6)
    assert claim_of(sound, budget) is sound
    assert claim_of(opened, budget).epsilon(1e-6) == pytest.approx(1.0)


def test_the_best_attacker_lies_on_the_ceiling_and_a_better_one_above_it():
    rng, claim = np.random.default_rng(0), Certificate((Entry("sums", "measure", Gaussian(1.0)),))
    others, members = rng.normal(size=20_000), 1 + rng.normal(size=20_000)
    found, better = curve_under(members, others, claim), curve_under(members + 1, others, claim)
    for fpr in FPRS:
        ceiling = found[f"ceiling_at_fpr_{fpr}"]
        assert found[f"tpr_at_fpr_{fpr}"] == pytest.approx(ceiling, abs=0.03)
        assert better[f"tpr_at_fpr_{fpr}"] > ceiling


def test_a_budget_of_epsilon_allows_what_any_such_mechanism_does_not_one_gaussian_alone():
    # Randomised response tells a row with e / (1 + e), at false alarms of 1 / (1 + e); a Gaussian does not.
    claim, right = of_budget(Budget(epsilon=1.0, delta=1e-6)), 1 / (1 + np.exp(-1.0))
    assert claim.tradeoff(1 - right) == pytest.approx(right, abs=1e-5)
