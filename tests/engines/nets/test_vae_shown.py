"""A batch laid out: numbers and levels of every row, each row a column, and nothing of the batch before."""

import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.engines.nets.vae_shown import Shown

FIELDS = Fields((0, 2), (1, 3), (3, 2))
ROWS = torch.tensor([[0.5, 2.0, -3.0, 0.0], [0.25, 0.0, 4.0, 1.0]])


def model(*, bounded=False):
    return Vae(FIELDS, VaeSize(2, 4, 1, bounded=bounded), torch.Generator().manual_seed(0))


def test_what_is_shown_is_what_the_model_shows_itself():
    own, shown = model(bounded=True), Shown(model(bounded=True), 2, torch.float32)
    shown.laid(ROWS.flip(0))  # nothing of these is left
    laid = shown.laid(ROWS)
    assert torch.equal(laid.seen.T, own.flat(ROWS))
    assert torch.equal(laid.numbers.T, own.parts(ROWS)[0])
    assert laid.places.T.tolist() == [[2, 3], [0, 4]]


def test_a_part_is_of_some_rows():
    laid = Shown(model(), 2, torch.bfloat16).laid(ROWS)
    part = laid.part(slice(1, None))
    assert laid.seen.dtype == torch.bfloat16
    assert torch.equal(part.seen[:, 0], laid.seen[:, 1])
    assert part.numbers.tolist() == [[0.25], [4.0]]
    assert part.places.tolist() == [[0], [4]]
