"""The audit catches planted bugs, passes the code as it is, and says of given tables what guesses prove.

Which part of the audit catches which bug: likelihoods of releases find halved noise and unnoised selection;
released gradients a missing clip and noise skipped on resume; the loss of canaries a second stage without
noise; a replay on a neighbour a codec that was fitted on raw rows, and sums without a clip.
"""

import math
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
import torch

from attacks.planted import PLAN, reads, trainings, within
from attacks.tried import laws, wide
from understudy import attacks
from understudy.attacks.epsilon_audit import EpsilonAudit
from understudy.engines.dpsgd import clipper
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.errors import ParameterError
from understudy.model import private_fit
from understudy.privacy.events import DiscreteGaussian, Selection
from understudy.privacy.mechanisms import best, counts, spanning, sums
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

MEMORISING = (
    "latent=32,width=64,depth=1,noisy_steps=3,rate=1.0,noisy_lr=0.3,diffusion_steps=80,"
    "batch=64,ema=0.9,sampling_steps=10,beta=0.0,draws=4"
)

TREE = {
    "recipe": "mst", "settings": "steps=2,margins_share=0.2,choose_share=0.75",
    "epsilon": 3.0, "delta": 1e-6, "runs": 100, "rows": 720, "drawn": 5,
}  # fmt: skip


def divided(by):
    honest = counts.discrete_gaussian
    return lambda stream, sigma, size: honest(stream, sigma / by, size)


def unclipped(self, vectors):
    return sums.rows_to_grid(vectors, self.grid)


def codes(rows=64, columns=6):
    rng = np.random.default_rng(0)
    table = pa.table({f"c{place}": rng.choice(list("abcdefgh"), rows) for place in range(columns)})
    return Evidence(train=table, synthetic=table)


def turned_by_a_row():
    """Three columns that go together: a and c by a hair more than a and b, and the rarest row turns it round.

    Errors of tables of even halves hardly feel the noise of the margins that they are compared with. The row
    (y, y, r) is one more that goes with the pair of a and b, and one less with that of a and c.
    """
    a = np.repeat(["x", "y"], [369, 351])
    b, c = a.copy(), np.where(a == "x", "r", "q")
    b[-10:], c[:10] = "x", "q"
    return pa.table({"a": a, "b": b, "c": c})


def audited(table, settings, plant):
    """What the audit finds with many runs on worst-case neighbours, before a bug is planted and after."""
    audit, shown = (
        attacks.get("epsilon_audit")(mode="runs", **settings),
        Evidence(train=table, synthetic=table),
    )
    before = audit(shown)
    plant()
    return before, audit(shown)


def numbers():
    table = pa.table({"n": [float(k) for k in range(40)] + [1_000.0], "c": ["x", "y"] * 20 + ["y"]})
    return Evidence(train=table, synthetic=table)


def test_counts_with_their_noise_pass_and_with_half_of_it_fail(monkeypatch):
    assert within(COUNTS.event, *reads(COUNTS, WITHOUT, HAVING, RUNS))
    monkeypatch.setattr(counts, "discrete_gaussian", divided(2))
    assert not within(COUNTS.event, *reads(COUNTS, WITHOUT, HAVING, RUNS))


def test_a_choice_with_its_noise_passes_and_without_it_fails(monkeypatch):
    assert within(CHOICE.event, *reads(CHOICE, WITHOUT, HAVING, RUNS))
    monkeypatch.setattr(best, "gumbel", lambda _stream, size: np.zeros(size))
    assert not within(CHOICE.event, *reads(CHOICE, WITHOUT, HAVING, 100))


def test_noisy_steps_pass_and_without_a_clip_fail(monkeypatch):
    assert within(PLAN.event(), *trainings(200))
    monkeypatch.setattr(clipper, "_factor", lambda squares, _limit, weight: (weight.to(squares.dtype), None))
    assert not within(PLAN.event(), *trainings(100))


def test_a_run_that_is_taken_up_passes_and_without_noise_from_there_on_fails(monkeypatch):
    assert within(PLAN.event(), *trainings(200, resumed=True))
    honest = PrivateGradients.skip_to

    def forgetful(self, step):
        honest(self, step)
        monkeypatch.setattr(self._source, "noise", lambda _at, _scale, out: out.zero_())

    monkeypatch.setattr(PrivateGradients, "skip_to", forgetful)
    assert not within(PLAN.event(), *trainings(100, resumed=True))


def test_a_codec_of_raw_rows_is_found_by_a_replay(monkeypatch):
    audit = EpsilonAudit(recipe="mst", settings="steps=2", mode="runs", runs=4, rows=20, drawn=20)
    assert audit(numbers()).parts["broken"] == 0

    def peek(vault, schema, _events):
        rows = vault._columns["n"]
        columns = [
            c.model_copy(update={"bounds": c.bounds.model_copy(update={"high": float(rows.max())})})
            if c.name == "n"
            else c
            for c in schema.columns
        ]
        return schema.model_copy(update={"columns": tuple(columns)})

    monkeypatch.setattr(private_fit.purchase, "buy", peek)
    found = audit(numbers())
    assert found.parts["broken"] > 0
    assert found.parts["exceeds"] == 1
    assert any("FAILED" in note for note in found.notes)


def test_a_second_stage_without_noise_exceeds_its_claim_and_one_with_noise_does_not():
    paper, sound = (
        EpsilonAudit(
            recipe="tldm",
            settings=f"guarantee={form},{MEMORISING}",
            separation=0.1,
            canaries=2,
            tables=40,
            rows=1,
        )(codes())
        for form in ("paper", "sound")
    )
    assert paper.parts["allowed"] == pytest.approx(1.368, abs=1e-3)
    assert paper.value > paper.parts["allowed"]
    assert paper.parts["exceeds"] == 1
    assert any("budget" in note for note in paper.notes)
    assert sound.parts["exceeds"] == 0
    assert sound.value < sound.parts["allowed"] < 1.37


def test_many_runs_pass_a_method_as_it_is_and_fail_it_with_a_twentieth_of_the_noise(monkeypatch):
    audit = EpsilonAudit(recipe="histogram", mode="runs", epsilon=4.0, delta=1e-6, runs=30, rows=40, drawn=20)
    honest = audit(numbers())
    assert honest.parts["exceeds"] == 0
    assert honest.parts["allowed"] == pytest.approx(4.0, rel=0.02)
    monkeypatch.setattr(counts, "discrete_gaussian", divided(20))
    found = audit(numbers())
    assert found.parts["exceeds"] == 1
    assert found.parts["mu"] > found.parts["allowed_mu"]
    assert found.parts["tpr_at_fpr_0.1"] > found.parts["ceiling_at_fpr_0.1"]


def test_many_runs_pass_counts_as_they_are_and_fail_them_with_half_of_the_noise(monkeypatch):
    table = pa.table({"c": ["x"] * 30 + ["y"]})
    tried = {"recipe": "histogram", "epsilon": 8.0, "delta": 1e-6, "runs": 150, "rows": 30, "drawn": 5}
    plant = partial(monkeypatch.setattr, counts, "discrete_gaussian", divided(2))
    honest, halved = audited(table, tried, plant)
    assert honest.parts["exceeds"] == 0 and honest.parts["mu"] < honest.parts["allowed_mu"]
    assert halved.parts["exceeds"] == 1 and halved.parts["broken"] == 0
    assert halved.parts["mu"] > halved.parts["allowed_mu"] + 0.5


def test_many_runs_pass_choices_as_they_are_and_fail_them_without_noise(monkeypatch):
    plant = partial(monkeypatch.setattr, spanning, "gumbel", lambda _stream, size: np.zeros(size))
    honest, unnoised = audited(turned_by_a_row(), TREE, plant)
    assert honest.parts["exceeds"] == 0
    assert unnoised.parts["exceeds"] == 1 and unnoised.parts["broken"] == 0
    assert unnoised.parts["mu"] > unnoised.parts["allowed_mu"]


def test_many_runs_pass_sums_as_they_are_and_fail_them_without_a_clip(monkeypatch):
    # What a row adds is many times as long as the clip: a replay on the neighbour measures it.
    table = pa.table({f"c{place}": ["x"] * 59 + ["y"] for place in range(6)})
    tried = {"recipe": "gaussian_copula", "epsilon": 4.0, "delta": 1e-6, "runs": 20, "rows": 60, "drawn": 5}
    plant = partial(monkeypatch.setattr, sums.ClippedSums, "_steps", unclipped)
    honest, boundless = audited(table, tried, plant)
    assert honest.parts["exceeds"] == honest.parts["broken"] == 0
    assert boundless.parts["exceeds"] == boundless.parts["broken"] == 1
    assert "'correlation', moved by" in boundless.notes[0]


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
