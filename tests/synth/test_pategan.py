"""PATE-GAN: its presets, and that it has none of six failures that were found in public versions of it.

Ganev et al. (TMLR 2025) count 19 violations of privacy in six public versions. The six kinds of which
synthcity's has each: the student is shown real rows; a formula of the accountant is wrong; votes that fall
one way are not paid for; the delta asked for is not looked at; teachers learn from parts that change and
overlap; the encoder is fitted on the rows as they are.
"""

import copy
from dataclasses import replace
from functools import cache

import dp_accounting
import numpy as np
import pyarrow as pa
import pytest
from dp_accounting import pld

from contract.quick_networks import declared, halves
from understudy import Budget
from understudy.engines.gan.networks import Critic
from understudy.engines.pate import votes as votes_file
from understudy.engines.pate.parts import RowsByPart
from understudy.engines.pate.teachers import Teachers
from understudy.privacy import Vault
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanisms.counts import CountTables
from understudy.privacy.replay import recording, stubbed
from understudy.synth.pategan import PATEGAN

pytest.importorskip("torch")

SMALL = PATEGAN.small()
BUDGET = Budget(epsilon=3.0, delta=1e-6)
ROWS = 300


def fit(table=None, budget=BUDGET, recipe=SMALL, seed=0):
    table = halves(ROWS) if table is None else table
    return recipe.fit(table, declared(halves(ROWS)), budget=budget, seed=seed, progress=False)


@cache
def certificate():
    return fit().certificate


def votes_of(certificate):
    (entry,) = (entry for entry in certificate.entries if entry.phase == "train")
    return entry


def test_the_student_is_never_shown_a_real_row(monkeypatch):
    """Failure 1: the student of public code is fitted on the real rows, encoded."""
    with recording(seed=4) as tape:
        fit()
    shown, told, forward = [], [], Critic.forward
    # All that is told, margins and votes, is fixed: then all that the student is shown must be the same.
    monkeypatch.setattr(CountTables, "release", lambda *_: copy.deepcopy(told.pop(0)))
    monkeypatch.setattr(votes_file._Lessons, "_told", lambda _, votes: votes * 0 + 3)
    monkeypatch.setattr(
        Critic, "forward", lambda self, x, *rest: shown.append(x.detach().clone()) or forward(self, x, *rest)
    )
    worlds = []
    for table in (halves(ROWS), halves(ROWS, seed=9).slice(0, 70)):
        shown.clear()
        told[:] = [step.output for step in tape.steps[:-1]]
        with recording(seed=5):
            fit(table)
        worlds.append([each.cpu().numpy().tobytes() for each in shown])
    assert worlds[0] == worlds[1] and len(worlds[0]) == SMALL.noisy_steps


def test_the_price_is_that_of_another_accountant():
    """Failure 2: the accountants of public code misplace a bracket, or leave out a logarithm."""
    found = certificate()
    composed = dp_accounting.ComposedDpEvent(
        [
            dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(event.sigma), event.count)
            for event in (entry.event for entry in found.entries)
        ]
    )
    theirs = pld.PLDAccountant().compose(composed).get_epsilon(BUDGET.delta)
    # A discrete Gaussian of such a scale has the price of a continuous one, as far as digits tell.
    assert found.epsilon(BUDGET.delta) == pytest.approx(theirs, rel=5e-3)
    assert votes_of(found).event.count == SMALL.noisy_steps * SMALL.batch


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_every_vote_is_paid_for_however_it_falls(share, monkeypatch):
    """Failure 3: public code charges nothing for a vote that most teachers cast for the same side."""
    usual, drawn, plain = certificate(), [], votes_file.discrete_gaussian
    monkeypatch.setattr(
        votes_file, "discrete_gaussian", lambda *given: drawn.append(given[2]) or plain(*given)
    )
    monkeypatch.setattr(
        Teachers, "votes", lambda self, made: (made[:, 0] * 0 + round(share * self.count)).long()
    )
    found = fit().certificate
    assert [entry.event for entry in found.entries] == [entry.event for entry in usual.entries]
    assert sum(drawn) == SMALL.noisy_steps * SMALL.batch == votes_of(found).event.count


def test_the_delta_asked_for_is_the_delta_given():
    """Failure 4: public code takes a delta of its own, whatever it was asked for."""
    scales = []
    for delta in (1e-3, 1e-6, 1e-9):
        found = fit(budget=Budget(epsilon=3.0, delta=delta)).certificate
        assert 2.9 < found.epsilon(delta) <= 3.0
        scales.append(votes_of(found).event.sigma)
    assert scales == sorted(scales) and scales[2] > 1.3 * scales[0]


def test_parts_are_fixed_and_no_row_is_in_two(monkeypatch):
    """Failure 5: teachers of public code are fitted anew on parts of a table that was shuffled again."""
    seen, drawn = [], RowsByPart.__call__

    def noted(self, count, noise):
        found = drawn(self, count, noise)
        seen.append(found.view(len(self._counts), count, -1))
        return found

    monkeypatch.setattr(RowsByPart, "__call__", noted)
    # Counts all but exact: numbers of a bin that noise empties share one rank, and two rows would look alike.
    plenty = Budget(epsilon=400.0, delta=1e-6)
    fit(recipe=replace(SMALL, noisy_steps=60, look=8), budget=plenty)
    parts = [
        {row[:-1].cpu().numpy().tobytes() for step in seen for row in step[part]}
        for part in range(len(seen[0]))
    ]
    assert len(parts) > 4
    for first in range(len(parts)):
        for second in range(first):
            assert not parts[first] & parts[second]
    # 60 steps of 8 from about 40 rows: once in 10^5 times a given row is never drawn.
    assert sum(map(len, parts)) > 0.95 * len(halves(ROWS))


def test_the_encoder_is_made_of_noisy_margins_and_the_rows_are_never_opened(monkeypatch):
    """Failure 6: public code fits its encoder, bounds and levels on the rows as they are."""
    monkeypatch.setattr(Vault, "open", lambda *_, **__: pytest.fail("the rows were read as they are"))
    table = halves(ROWS)
    wider = pa.table({"word": table["word"], "number": pa.compute.multiply(table["number"], 1_000.0)})
    narrow = table.select(["word", "number"])
    with recording(seed=1) as tape:
        first = SMALL.fit(narrow, budget=BUDGET, seed=0, progress=False)
    with stubbed(tape):
        second = SMALL.fit(wider, budget=BUDGET, seed=0, progress=False)
    for one, other in zip(
        first.sampler.codec.state()[0].values(), second.sampler.codec.state()[0].values(), strict=True
    ):
        assert np.array_equal(one, other)
    assert first.schema.to_json() == second.schema.to_json()


def test_the_number_of_rows_is_bought_too(monkeypatch):
    counts, made = [], Teachers.__init__

    def noted(self, count, *rest):
        counts.append(count)
        made(self, count, *rest)

    monkeypatch.setattr(Teachers, "__init__", noted)
    with recording(seed=1) as tape:
        fit()
    with stubbed(tape):
        fit(table=halves(ROWS).slice(0, 60))
    assert counts[0] == counts[1], "as many teachers as the margins say, whatever there is"


def test_a_budget_is_spent_on_margins_and_votes_and_on_nothing_else():
    found = certificate()
    assert found.status == "sound" and 2.9 < found.epsilon(1e-6) <= 3.0
    entry = votes_of(found)
    assert entry.name == "training.student" and isinstance(entry.event, DiscreteGaussian)
    assert "one teacher" in entry.because and "votes" in entry.what


def test_the_paper_is_a_preset():
    paper = PATEGAN.paper()
    assert (paper.rows_each, paper.votes, paper.batch, paper.look) == (1_000, "majority", 64, 64)
    assert (paper.teacher_width, paper.memory, paper.alone) == (0, 0, 0.0)
    drawn = fit(recipe=replace(paper, rows_each=50, width=16, noisy_steps=3, steps=5)).sample(20, seed=0)
    assert drawn.num_rows == 20


def test_without_a_budget_votes_are_told_as_they_are_and_nothing_is_claimed():
    model = SMALL.fit(halves(ROWS), seed=0, progress=False)
    assert model.certificate.status == "none"
    assert model.sample(30, seed=0, where={"count": 8})["count"].to_pylist() == [8] * 30
