"""A batch laid out: numbers and levels of every row, each row a column, and nothing of the batch before."""

import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.engines.nets.vae_shown import laid, shown_of

FIELDS = Fields((0, 2), (1, 3), (3, 2))
ROWS = torch.tensor([[0.5, 2.0, -3.0, 0.0], [0.25, 0.0, 4.0, 1.0]])


def model(*, bounded=False):
    return Vae(FIELDS, VaeSize(2, 4, 1, bounded=bounded), torch.Generator().manual_seed(0))


def test_what_is_shown_is_what_the_model_shows_itself():
    own, shown = model(bounded=True), shown_of(model(bounded=True), 2, torch.float32)
    laid(shown, ROWS.flip(0))  # nothing of these is left
    found = laid(shown, ROWS)
    assert torch.equal(found.seen.T, own.flat(ROWS))
    assert torch.equal(found.numbers.T, own.parts(ROWS)[0])
    assert found.places.T.tolist() == [[2, 3], [0, 4]]


def test_what_is_shown_short_is_learned_from_as_it_was():
    found = laid(shown_of(model(), 2, torch.bfloat16), ROWS + 0.01 * torch.tensor([1.0, 0.0, 1.0, 0.0]))
    assert found.seen.dtype == torch.bfloat16
    assert torch.equal(found.numbers, torch.tensor([[0.51, 0.26], [-2.99, 4.01]]))
