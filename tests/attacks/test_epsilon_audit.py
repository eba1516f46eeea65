"""The audit passes bare mechanisms and whole fits as they are, and says of given tables what guesses prove.

Bugs are planted in bare mechanisms here, and in whole fits of real recipes in `test_six_bugs.py`.
"""

import math

import numpy as np
import pyarrow as pa
import pytest
import torch

from attacks import bugs
from attacks.planted import PLAN, reads, trainings, within
from attacks.tried import laws, wide
from understudy.attacks import epsilon_audit
from understudy.attacks.epsilon_audit import EpsilonAudit
from understudy.errors import ParameterError, UnderstudyError
from understudy.model import audited_fit
from understudy.model.audited_fit import Fitting
from understudy.privacy.events import DiscreteGaussian, Selection
from understudy.privacy.mechanisms.best import ChooseBest
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.table_errors import TableErrors
from understudy.table.evidence import Evidence

RUNS = 600
COUNTS = CountTables((Margin(("a",), (2,)),), DiscreteGaussian(1.0))
# One row more turns the best of both tables round.
TABLES = (Margin(("a",), (2,)), Margin(("b",), (2,)))
CHOICE = ChooseBest(
    TableErrors(TABLES, (np.array([2.0, 1.0, 0.0]), np.array([3.0, 1.0, 0.0])), (1.0, 1.0), (0.0, 0.0)),
    Selection(1.0, 1),
)
WITHOUT = {name: np.array([0, 0, 1]) for name in "ab"}
HAVING = {name: np.array([0, 0, 1, 0]) for name in "ab"}


def codes(rows=64, columns=6):
    rng = np.random.default_rng(0)
    table = pa.table({f"c{place}": rng.choice(list("abcdefgh"), rows) for place in range(columns)})
    return Evidence(train=table, synthetic=table)


def numbers():
    table = pa.table({"n": [float(k) for k in range(40)] + [1_000.0], "c": ["x", "y"] * 20 + ["y"]})
    return Evidence(train=table, synthetic=table)


def test_counts_with_their_noise_pass_and_with_half_of_it_fail(monkeypatch):
    assert within(COUNTS.event, *reads(COUNTS, WITHOUT, HAVING, RUNS))
    bugs.noise_divided(monkeypatch)
    assert not within(COUNTS.event, *reads(COUNTS, WITHOUT, HAVING, RUNS))


def test_a_choice_with_its_noise_passes_and_without_it_fails(monkeypatch):
    assert within(CHOICE.event, *reads(CHOICE, WITHOUT, HAVING, RUNS))
    bugs.choices_without_noise(monkeypatch)
    assert not within(CHOICE.event, *reads(CHOICE, WITHOUT, HAVING, 100))


def test_noisy_steps_pass_and_without_a_clip_fail(monkeypatch):
    assert within(PLAN.event(), *trainings(200))
    bugs.gradients_without_a_clip(monkeypatch)
    assert not within(PLAN.event(), *trainings(100))


def test_a_run_that_is_taken_up_passes_and_without_noise_from_there_on_fails(monkeypatch):
    assert within(PLAN.event(), *trainings(200, resumed=True))
    bugs.no_noise_once_resumed(monkeypatch)
    assert not within(PLAN.event(), *trainings(100, resumed=True))


def test_many_runs_pass_a_method_as_it_is_and_fail_it_with_a_twentieth_of_the_noise(monkeypatch):
    audit = EpsilonAudit(recipe="histogram", mode="runs", epsilon=4.0, delta=1e-6, runs=30, rows=40, drawn=20)
    honest = audit(numbers())
    assert honest.parts["exceeds"] == 0
    assert honest.parts["allowed"] == pytest.approx(4.0, rel=0.02)
    bugs.noise_divided(monkeypatch, by=20)
    found = audit(numbers())
    assert found.parts["exceeds"] == 1
    assert found.parts["mu"] > found.parts["allowed_mu"]
    assert found.parts["tpr_at_fpr_0.1"] > found.parts["ceiling_at_fpr_0.1"]


def test_a_network_that_is_trained_with_noise_asks_the_same_of_a_neighbour():
    # The replay begins with the weights that the recorded fit began with.
    settings = "width=8,depth=0,noisy_steps=2,rate=1.0,sampling_steps=2,draws=1"
    tried = EpsilonAudit(recipe="findiff", settings=settings, mode="runs", runs=4, rows=20, drawn=5)
    assert tried(numbers()).parts["broken"] == 0


def test_an_audit_can_be_made_again():
    audit = EpsilonAudit(recipe="histogram", canaries=20, rows=40, drawn=50)
    first, second, other = (audit(numbers(), seed=seed) for seed in (3, 3, 4))
    assert first.parts == second.parts
    assert first.parts != other.parts


def test_given_tables_a_copy_fails_its_claim_and_a_fresh_one_proves_nothing():
    copy, fresh = (EpsilonAudit(epsilon=1.0)(wide(kind)) for kind in ("copy", "fresh"))
    assert copy.value > 2
    assert copy.parts["exceeds"] == 1
    assert copy.parts["tpr_at_fpr_0.01"] > copy.parts["ceiling_at_fpr_0.01"]
    assert fresh.value < 0.5
    assert fresh.parts["exceeds"] == 0
    assert (copy.null, copy.better) == (0.0, "lower")


def test_a_fresh_table_bounds_epsilon_above_nought_as_rarely_as_stated():
    found = [EpsilonAudit()(laws("fresh", rows=40, seed=seed), seed=seed).value for seed in range(60)]
    assert np.mean(np.array(found) > 0) <= 0.1


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"mode": "runs"}, "recipe"), ({}, "holdout")],
)
def test_what_cannot_be_audited_is_undefined_and_says_why(settings, reason):
    found = EpsilonAudit(**settings)(codes())
    assert math.isnan(found.value)
    assert reason in found.notes[0]


@pytest.mark.parametrize("settings", ["steps", "nothing=2", "steps=two"])
def test_settings_that_the_recipe_does_not_have_are_refused(settings):
    with pytest.raises(ParameterError):
        EpsilonAudit(recipe="mst", settings=settings)(numbers())


def test_torch_is_as_it_was():
    before = torch.random.get_rng_state()
    EpsilonAudit(recipe="histogram", canaries=4, rows=4, drawn=5)(numbers())
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_fit_that_only_sometimes_asks_something_else_of_a_neighbour_is_found_by_its_replay(monkeypatch):
    # The first replay is as it should be; a later one is not, and the audit says so in place of an error.
    honest, asked = Fitting.replay, []

    def now_and_then(self, table, recorded, seed):
        asked.append(seed)
        if len(asked) == 4:
            raise UnderstudyError("replay: read 1 is 'more', which was not the next one recorded.")
        return honest(self, table, recorded, seed)

    monkeypatch.setattr(Fitting, "replay", now_and_then)
    found = EpsilonAudit(recipe="histogram", mode="runs", runs=4, rows=20, drawn=5)(numbers())
    assert found.parts["broken"] == found.parts["exceeds"] == 1
    assert "which was not the next one recorded" in found.notes[0]


def test_an_attacker_who_sees_the_table_alone_hears_no_step(monkeypatch):
    settings = "width=8,depth=0,noisy_steps=2,rate=1.0,sampling_steps=2,draws=1"
    tried = {"recipe": "findiff", "settings": settings, "mode": "runs", "runs": 4, "rows": 0, "drawn": 5}
    judged, honest = [], epsilon_audit.bounds_of_several
    monkeypatch.setattr(
        epsilon_audit,
        "bounds_of_several",
        lambda *runs, **how: judged.append(set(runs[0])) or honest(*runs, **how),
    )
    for sees in ("model", "synthetic"):
        EpsilonAudit(sees=sees, **tried)(numbers())
    assert judged == [{"nearest", "released", "last"}, {"nearest"}]


@pytest.mark.parametrize("on_device", [False, True])
def test_an_audit_that_could_not_listen_says_so(monkeypatch, on_device):
    monkeypatch.setattr(audited_fit, "_on_device", lambda _: on_device)
    measure = EpsilonAudit(
        recipe="tvae", settings="latent=2,width=4,depth=1,noisy_steps=2,rate=1", mode="runs", runs=4, rows=5
    )
    notes = measure(codes(columns=2)).notes
    assert any("could not be listened to" in note for note in notes) == on_device
