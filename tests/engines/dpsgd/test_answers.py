"""The step after a noisy gradient: weights alone, or weights and then a generator that sees no row."""

import torch
from torch import nn

from engines.training.networks import Sides
from understudy.engines.dpsgd.answers import Answers
from understudy.engines.training.fit import Settings
from understudy.engines.training.weights import Weights

SETTINGS = Settings(steps=10, lr=0.1)


def test_without_a_game_it_is_the_step_of_the_weights():
    left, right = (nn.Linear(2, 1) for _ in range(2))
    right.load_state_dict(left.state_dict())
    answers = Answers(None, Weights(left, SETTINGS), SETTINGS)
    plain = Weights(right, SETTINGS)
    for model, steps in ((left, answers), (right, plain)):
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        steps.step()
    assert torch.equal(left.weight, right.weight)
    assert answers.state().keys() == plain.state().keys()


def test_the_generator_climbs_what_the_critic_says_and_leaves_no_gradient_in_it():
    game = Sides(norm=False)
    answers = Answers(game, Weights(game.critic, SETTINGS), SETTINGS)
    answers.noise.manual_seed(0)
    with torch.no_grad():
        game.critic.weight.fill_(1.0)
    before = float(game.answer(torch.Generator().manual_seed(1)).detach())
    for parameter in game.critic.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for _ in range(5):
        answers.step()
    assert float(game.answer(torch.Generator().manual_seed(1)).detach()) < before
    assert torch.equal(game.critic.weight, torch.ones(1, 3)), "only noisy gradients move the critic"
    answers.finish()
    assert all(parameter.grad is None for parameter in game.both.parameters())


def test_what_it_depends_on_is_kept_and_taken_up():
    game, other = Sides(norm=False), Sides(norm=False)
    first, second = (Answers(each, Weights(each.critic, SETTINGS), SETTINGS) for each in (game, other))
    for answers, each in ((first, game), (second, other)):
        answers.noise.manual_seed(3)
        for parameter in each.critic.parameters():
            parameter.grad = torch.ones_like(parameter)
        answers.step()
    second.load(first.state(), 1)
    for answers in (first, second):
        answers.noise.manual_seed(4)
        answers.step()
    assert all(
        torch.equal(a, b) for a, b in zip(game.both.parameters(), other.both.parameters(), strict=True)
    )
