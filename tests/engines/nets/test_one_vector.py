"""One vector for all parameters: each is a piece of it, and the model is as it was."""

import torch
from torch import nn

from understudy.engines.nets.one_vector import pieces_of, put_together


def test_pieces_are_as_the_parameters_are_and_begin_at_lines():
    whole, pieces = pieces_of([torch.ones(2, 3), torch.ones(40), torch.ones(1)], torch.float64)
    assert [piece.shape for piece in pieces] == [(2, 3), (40,), (1,)]
    assert [piece.storage_offset() for piece in pieces] == [0, 32, 96]
    pieces[1].fill_(1.0)
    assert whole.sum() == 40 and whole.dtype == torch.float64


def test_a_model_is_as_it_was_and_follows_its_vector():
    model = nn.Linear(3, 2)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    whole = put_together(model)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    with torch.no_grad():
        whole.mul_(2)
    assert all(torch.equal(2 * a, b) for a, b in zip(before, model.parameters(), strict=True))
