import math

import pytest
import torch
from scipy import stats

from engines.dpsgd.networks import plan_of
from understudy.engines.dpsgd.batches import PoissonBatches, _places_on_device, slots_for
from understudy.errors import BudgetError, ParameterError
from understudy.privacy.stream import Stream


def batches_of(rows, seed=1, **changes):
    table = (torch.arange(1, rows + 1).float(), torch.arange(2 * rows).reshape(rows, 2))
    return PoissonBatches(plan_of(**changes), table, Stream.unsafe_test_noise(seed))


def test_a_batch_holds_the_drawn_rows_and_zeros():
    batch = batches_of(300, rate=0.1).draw()
    ids, pairs = batch.rows
    drawn = ids[batch.weight].long()
    assert len(torch.unique(drawn)) == len(drawn) > 10
    assert torch.equal(pairs[batch.weight][:, 0], 2 * (drawn - 1))
    assert not ids[~batch.weight].any() and not pairs[~batch.weight].any()


def test_each_row_is_in_a_step_with_the_rate_of_the_plan():
    """The planted bug "q understated" ends here: rows drawn at 1.1 times the rate are seen."""
    steps, rows, rate = 400, 1_000, 0.05
    batches = batches_of(rows, rate=rate, steps=steps)
    counts = [int(batches.draw().weight.sum()) for _ in range(steps)]
    error = math.sqrt(rate * (1 - rate) / (steps * rows))
    share = sum(counts) / (steps * rows)
    assert abs(share - rate) < 5 * error < abs(1.1 * share - rate)
    spread = torch.tensor(counts).double().var() / (rows * rate * (1 - rate))
    assert 0.6 < float(spread) < 1.5  # binomial, not a fixed size


def test_the_planted_bug_of_an_understated_rate_is_caught(monkeypatch):
    batches = batches_of(1_000, rate=0.05, steps=400)
    whole = batches._source.members
    monkeypatch.setattr(batches._source, "members", lambda steps, rate, rows: whole(steps, 1.1 * rate, rows))
    share = sum(int(batches.draw().weight.sum()) for _ in range(400)) / 400_000
    assert abs(share - batches._plan.rate) > 5 * math.sqrt(0.05 * 0.95 / 400_000)


@pytest.mark.parametrize(("rate", "rows"), [(0.01, 51_200), (0.001, 1_000), (0.5, 10_000), (1e-4, 10**6)])
def test_slots_are_outgrown_fewer_than_once_in_a_million_million_steps(rate, rows):
    slots = slots_for(rate, rows)
    assert stats.binom.sf(slots, rows, rate) < 1e-12
    assert slots < rows * rate + 12 * math.sqrt(rows * rate) + 128  # and not many more than that


@pytest.mark.parametrize("rate", [0.9, 1.0])
def test_slots_are_never_more_than_rows(rate):
    assert slots_for(rate, 40) == 40
    assert int(batches_of(40, rate=rate).draw().weight.sum()) >= 30


def test_a_batch_that_outgrows_its_slots_loses_no_row(monkeypatch):
    monkeypatch.setattr("understudy.engines.dpsgd.batches.slots_for", lambda *_: 8)
    batches = batches_of(200, rate=0.5)
    batches._on_device = True  # as on a device: look ahead, and slots in multiples of the usual number
    for step in range(5):
        batch = batches.draw()
        same = batches._source.members(torch.tensor([step], dtype=torch.int32), 0.5, 200)[0]
        assert len(batch.weight) % 8 == 0 and len(batch.weight) > 8
        assert torch.equal(batch.rows[0][batch.weight].long() - 1, same.nonzero()[:, 0])


def test_places_without_asking_the_device_are_those_of_the_processor():
    mask = torch.rand(300) < 0.2
    index, weight = _places_on_device(mask, 128)
    assert torch.equal(index[weight], mask.nonzero()[:, 0]) and int(weight.sum()) == int(mask.sum())


def test_an_empty_batch_is_a_step():
    batches = batches_of(3, rate=1e-9, steps=1)
    batch = batches.draw()
    assert not batch.weight.any() and batches.drawn == 1


def test_a_table_without_rows_still_has_steps():
    plan = plan_of()
    batch = PoissonBatches(plan, [torch.zeros(0, 2)], Stream.fresh()).draw()
    assert not batch.rows[0].any() and not batch.weight.any()


def test_one_step_more_than_planned_is_refused():
    batches = batches_of(10, steps=1)
    batches.draw()
    with pytest.raises(BudgetError, match="all 1 planned"):
        batches.draw()


def test_micro_batches_hold_every_row_once():
    batch = batches_of(300, rate=0.5).draw()
    pieces = list(batch.pieces(37))
    assert torch.equal(torch.cat([rows[0] for rows, _ in pieces]), batch.rows[0])
    assert torch.equal(torch.cat([weight for _, weight in pieces]), batch.weight)


@pytest.mark.parametrize("rows", [[], [torch.zeros(3), torch.zeros(4)]])
def test_rows_of_several_lengths_are_refused(rows):
    with pytest.raises(ParameterError, match="one length"):
        PoissonBatches(plan_of(), rows, Stream.fresh())


def test_the_same_key_draws_the_same_batches_again():
    one, again, other = (batches_of(100, seed).draw().weight.sum() for seed in (1, 1, 2))
    first, second = batches_of(100, 1).draw(), batches_of(100, 1).draw()
    assert one == again and torch.equal(first.rows[0], second.rows[0])
    assert other != one or not torch.equal(batches_of(100, 2).draw().rows[0], first.rows[0])


def test_a_run_taken_up_at_a_step_draws_what_it_would_have_drawn():
    plan, rows = plan_of(steps=6), [torch.arange(200.0)[:, None] + 1]
    walked = PoissonBatches(plan, rows, Stream.unsafe_test_noise(1))
    for _ in range(5):
        walked.draw()
    jumped = PoissonBatches(plan, rows, Stream.unsafe_test_noise(1))
    jumped.skip_to(5)
    left, right = walked.draw(), jumped.draw()
    assert torch.equal(left.rows[0], right.rows[0]) and left.number == right.number == 5
    with pytest.raises(BudgetError):
        jumped.draw()
