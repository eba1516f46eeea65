"""A generator written out tells what the generator does, and teaches it the same."""

import pytest
import torch

from understudy.engines.gan.making import Maker
from understudy.engines.gan.networks import GeneratorNetwork, Size
from understudy.engines.gan.norms import norm_of


@pytest.mark.parametrize("levels", [0, 3])
@pytest.mark.parametrize("norm", ["batch", "layer", "none"])
@pytest.mark.parametrize("depth", [1, 3])
def test_it_tells_and_teaches_what_the_network_does(levels, norm, depth):
    drawn = torch.Generator().manual_seed(0)
    network = GeneratorNetwork(4, levels, 5, Size(4, 8, depth, norm), drawn).double()
    grads = {parameter: torch.zeros_like(parameter) for parameter in network.parameters()}
    noise, by_told = (torch.randn(9, width, generator=drawn).double() for width in (4, 5))
    places = torch.arange(9) % max(levels, 1)
    norms = [norm_of(each, grads, [9]) for each in network.norms]
    maker = Maker(network, grads, 9, (0, norms))
    with torch.no_grad():
        maker.entry.copy_(noise)
        for at in range(depth):
            maker.enter(at, places)
            norms[at].join()
            maker.block(at)
        maker.tell(places)
        maker.by_told.copy_(by_told)
        maker.untell(places)
        for at in reversed(range(depth)):
            maker.turn(at)
            norms[at].join_back()
            maker.back(at, places)
    wanted = network(noise, places)
    assert torch.allclose(maker.told, wanted)
    slopes = torch.autograd.grad(wanted, list(network.parameters()), by_told)
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(slopes, grads.values(), strict=True))
