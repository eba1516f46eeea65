"""Teachers stand side by side: each is a network of its own, with one vote."""

import pytest
import torch

from understudy.engines.pate.teachers import PACE, Teachers
from understudy.errors import ParameterError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def teachers(count=5, width=4):
    return Teachers(count, 3, width, seeded())


@pytest.mark.parametrize("width", [0, 4])
def test_each_is_a_network_of_its_own(width):
    made, rows = teachers(width=width), torch.randn(6, 3, generator=seeded(1))
    scores = made(rows)
    assert scores.shape == (5, 6)
    x = rows
    for place, (weight, bias) in enumerate(zip(made.weights, made.biases, strict=True)):
        x = (torch.relu(x) if place else x) @ (PACE * weight[2]) + PACE * bias[2]
    assert torch.allclose(scores[2], x[:, 0], atol=1e-6)


def test_a_vote_is_for_or_against_and_everybody_has_one():
    made, rows = teachers(), torch.randn(50, 3, generator=seeded(1))
    votes = made.votes(rows)
    assert votes.dtype == torch.int64 and set(votes.tolist()) <= set(range(6))
    assert torch.equal(votes, (made(rows) > 0).sum(0))
    with torch.no_grad():
        for part in (*made.weights, *made.biases):
            part[3] = 1e6  # whatever becomes of one teacher
    assert int((made.votes(rows) - votes).abs().max()) <= 1


def test_each_learns_from_its_own_rows_and_from_made_ones():
    made, own = teachers(), torch.randn(5, 8, 3, generator=seeded(1))
    rows, there = torch.randn(6, 3, generator=seeded(2)), torch.ones(5, 8)
    other = own.clone()
    other[3] = 9.0

    def slopes(own):
        return torch.autograd.grad(made.losses(own, there, rows).sum(), list(made.parameters()))

    for before, after in zip(slopes(own), slopes(other), strict=True):
        same = [torch.equal(before[t], after[t]) for t in range(5)]
        assert same == [True, True, True, False, True]


def test_a_teacher_without_rows_learns_from_made_ones_alone():
    made, own, rows = teachers(), torch.zeros(5, 8, 3), torch.randn(6, 3, generator=seeded(2))
    losses = made.losses(own, torch.zeros(5, 8), rows)
    assert torch.allclose(losses, torch.nn.functional.softplus(made(rows)).mean(-1))


def test_they_learn_to_tell_their_rows_from_made_ones():
    made, own, rows = teachers(), torch.full((5, 8, 3), 1.0), torch.full((8, 3), -1.0)
    optimizer = torch.optim.Adam(made.parameters(), 0.05)
    for _ in range(60):
        optimizer.zero_grad()
        made.losses(own, torch.ones(5, 8), rows).sum().backward()
        optimizer.step()
    assert made.votes(torch.tensor([[1.0] * 3, [-1.0] * 3])).tolist() == [5, 0]


def test_nobody_is_no_school():
    for count, width in ((0, 3), (3, -1)):
        with pytest.raises(ParameterError, match="Teachers"):
            Teachers(count, 3, width, seeded())
