import pytest
import torch

from understudy.engines.training import mapping
from understudy.engines.training.mapping import mapped
from understudy.errors import ParameterError


def test_without_a_map_rows_are_what_they_were():
    rows = torch.ones(3, 2)
    assert mapped(None, rows) is rows


def test_pieces_are_put_together_again(monkeypatch):
    monkeypatch.setattr(mapping, "_AT_ONCE", 4)
    rows = torch.arange(18.0).view(9, 2)
    assert torch.equal(mapped(lambda part: 2 * part, rows), 2 * rows)


def test_no_rows_have_the_width_of_the_map_too():
    layer = torch.nn.Linear(2, 5)
    found = mapped(layer, torch.empty(0, 2))
    assert found.shape == (0, 5) and not found.requires_grad


def test_every_piece_has_one_shape():
    shapes = set()
    for count in (0, 1, 5_000):
        mapped(lambda part: shapes.add(part.shape) or part, torch.zeros(count, 2))
    assert len(shapes) == 1


def test_a_map_that_loses_rows_is_refused():
    with pytest.raises(ParameterError, match="one row"):
        mapped(lambda part: part[:1], torch.zeros(3, 2))
