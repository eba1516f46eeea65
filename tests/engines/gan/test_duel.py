"""The losses of the game: who learns from what, and that no record reaches another under a budget."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Duel, Networks, Rules, _gap
from understudy.engines.gan.networks import Size

FIELDS = Fields((1,), (0, 2), (3, 2), (np.array([0.5, 0.4, 0.1]), np.array([0.7, 0.3])))
TINY = Rules(size=Size(4, 8, 1, "layer"))
LOGISTIC = replace(TINY, loss="logistic", penalty=0.0, bounded=False, logs=False)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def networks(rules=TINY, fields=FIELDS):
    return Networks(fields, rules, 100.0, seeded())


def some_rows(rows=20):
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 3, rows), rng.normal(size=rows), rng.integers(0, 2, rows)]
    return torch.from_numpy(np.stack(columns, 1)).float()


def gradients(rules, part):
    both = networks(rules)
    game = Duel(both, 20)
    losses = game.duel(both, game.picks(some_rows())(20, seeded(1)), seeded(2))
    assert losses.shape == (20,)
    losses.mean().backward()
    return torch.cat([p.grad.flatten() for p in getattr(both, part).parameters()])


def test_each_network_learns_its_own_part_alone():
    plain = gradients(TINY, "generator")
    assert torch.allclose(plain, gradients(replace(TINY, penalty=0.0), "generator")), (
        "the penalty is the critic's"
    )
    apart = replace(TINY, apart=0.5)
    assert torch.allclose(gradients(TINY, "critic"), gradients(apart, "critic")), (
        "distance is the generator's"
    )
    assert not torch.allclose(plain, gradients(apart, "generator"))


def test_what_goes_together_in_a_batch_teaches_the_generator_alone():
    told = replace(TINY, moments=5.0)
    assert torch.allclose(gradients(TINY, "critic"), gradients(told, "critic"))
    assert not torch.allclose(gradients(TINY, "generator"), gradients(told, "generator"))
    rows = networks().shown(some_rows())
    assert _gap(rows, rows) == 0.0
    assert _gap(rows, rows[torch.randperm(20, generator=seeded())]) < 1e-10, "the order of rows has no part"
    shuffled = torch.cat([rows[:, :4], rows[torch.arange(19, -1, -1), 4:]], 1)
    assert _gap(shuffled, rows) > 0.001, "columns that are each as they were, but not together"


def test_the_two_pull_the_scores_of_made_rows_apart():
    both = networks(replace(TINY, penalty=0.0))
    game = Duel(both, 20)
    rows = game.picks(some_rows())(20, seeded(1))
    made = both.make(rows[:, -1].long(), seeded(2)).soft.detach().requires_grad_(True)
    places = rows[:, -1:].long()
    (up,) = torch.autograd.grad(game._generators(both.critic.frozen(made, places)).mean(), made)
    real = both.shown(rows[:, :-1])
    (down,) = torch.autograd.grad(game._critics(both.critic, made, [real, places], seeded()), made)
    assert torch.allclose(up, -down, atol=1e-7)


def test_soft_rows_are_distributions_over_all_columns_at_once():
    both = networks()
    soft = both.make(both.conditions.draw(50, seeded()), seeded()).soft
    assert torch.allclose(both.segments.sums(soft[:, 1:]), torch.ones(50, 2), atol=1e-5)
    assert float(soft[:, 0].detach().abs().max()) <= 1.0
    assert both.shown(some_rows()).shape == (20, 6)
    assert float(both.shown(torch.tensor([[0.0, 7.0, 1.0]]))[0, 0]) == 1.0, (
        "an outlier ends where made rows do"
    )


def test_what_was_asked_for_and_missed_costs():
    both = networks()
    logits = torch.tensor([[9.0, 0.0, 0.0, 0.0, 9.0]])
    assert (
        float(both.missed(logits, torch.tensor([0]))) < 0.01 < float(both.missed(logits, torch.tensor([1])))
    )


@pytest.mark.parametrize("loss", ["logistic", "wasserstein"])
def test_a_record_is_judged_by_itself(loss):
    both = networks(replace(LOGISTIC, loss=loss))
    game, rows = Duel(both, 16), some_rows()
    before = game.judge(both.critic, rows, seeded(1))
    other = rows.clone()
    other[5:] = some_rows(40)[25:]
    after = game.judge(both.critic, other, seeded(1))
    assert torch.equal(before[:5], after[:5]) and not torch.equal(before[5:], after[5:])
    assert before.grad_fn is not None
    before.sum().backward()
    assert all(p.grad is None for p in both.generator.parameters()), "the generator is shown no record"


def test_the_generator_answers_without_a_row():
    both = networks(LOGISTIC)
    game = Duel(both, 16)
    game.answer(seeded()).backward()
    assert all(p.grad is None for p in both.critic.parameters())
    assert all(p.grad is not None for p in both.generator.parameters())
    assert (game.both, game.critic, game.generator) == (both, both.critic, both.generator)


def test_levels_settle_at_their_shares():
    both = networks()
    with torch.no_grad():
        both.generator.leave.linear.bias.copy_(torch.tensor([0.0, -2.0, 0.0, 2.0, 0.0, 0.0]))
    both.settle(seeded())
    places = both.conditions.draw(8_000, seeded(3))
    codes = both.segments.draw(both.drawn(places, seeded(4))[1], seeded(5))
    found = both.segments.onehot(codes).mean(0)
    assert found.tolist() == pytest.approx([0.5, 0.4, 0.1, 0.7, 0.3], abs=0.03)


def test_nothing_is_settled_where_there_are_no_levels():
    both = networks(fields=Fields((0,), (), ()))
    both.settle(seeded())
    assert both.missed(torch.zeros(2, 0), torch.zeros(2, dtype=torch.int64)) == 0


def test_a_generator_that_is_given_rows_draws_without_any():
    both = networks(replace(TINY, given=True, asks=False)).eval()
    numbers, logits = both.drawn(torch.zeros(7, dtype=torch.int64), seeded())
    assert numbers.shape == (7, 1) and logits.shape == (7, 5)


def test_a_number_that_is_missing_is_hidden_from_the_critic_in_real_and_made_rows():
    flagged = replace(FIELDS, flags=(2,))
    both = networks(fields=flagged)
    rows = torch.tensor([[0.0, 0.5, 1.0], [0.0, 0.5, 0.0]])
    assert both.shown(rows)[:, 0].tolist() == [0.0, 0.5]
    hard = both.hardened(both.make(both.conditions.draw(200, seeded()), seeded()))
    gone = hard[:, -1] == 1
    assert gone.any() and (hard[gone, 0] == 0).all() and (hard[~gone, 0] != 0).all()
    assert networks().shown(rows)[:, 0].tolist() == [0.5, 0.5], "no flag, nothing to hide"


def test_hardened_rows_have_one_level_in_each_column_and_teach_nobody():
    both = networks()
    made = both.make(both.conditions.draw(50, seeded()), seeded())
    hard = both.hardened(made)
    assert not hard.requires_grad and set(hard[:, 1:].flatten().tolist()) == {0.0, 1.0}
    assert torch.equal(both.segments.sums(hard[:, 1:]), torch.ones(50, 2))
    assert torch.equal(both.segments.argmax(hard[:, 1:]), both.segments.argmax(made.soft[:, 1:]))
    numbers = networks(fields=Fields((0,), (), ()))
    made = numbers.make(torch.zeros(5, dtype=torch.int64), seeded())
    assert torch.equal(numbers.hardened(made), made.soft.detach())


def test_a_generator_can_begin_with_standard_normal_numbers():
    both = networks(LOGISTIC)
    both.begin_at_margins()
    numbers, _ = both.told(both.conditions.draw(4_000, seeded()), seeded(1))
    # The mean of 4,000 draws is off by 0.08, and their deviation by 0.06, once in a million times.
    assert float(numbers.detach().mean()) == pytest.approx(0.0, abs=0.08)
    assert float(numbers.detach().std()) == pytest.approx(1.0, abs=0.06)
