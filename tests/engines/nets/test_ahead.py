"""Noise drawn ahead is the noise that would have been drawn when it is needed."""

import pytest
import torch

from understudy.engines.nets.ahead import Ahead
from understudy.engines.nets.beside import Beside


def drawn(seed):
    noise = torch.Generator().manual_seed(seed)
    return [torch.randn(5, generator=noise) for _ in range(3)]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_drawn_ahead_is_what_comes_next(cores, threads):
    cores(threads)
    room, noise, beside = torch.empty(5), torch.Generator(), Beside()
    ahead, found = Ahead(lambda generator: room.normal_(generator=generator), beside), []
    with beside.open():
        for seed in (1, 2):  # what was drawn ahead in one block is not that of the next
            ahead.forget()
            noise.manual_seed(seed)
            for _ in range(3):
                ahead.ready(noise)
                found.append(room.clone())
                ahead.go_on(noise)
    assert torch.equal(torch.stack(found), torch.stack([each for seed in (1, 2) for each in drawn(seed)]))
