"""Halves of a batch teach, together, what the batch teaches as one part."""

from dataclasses import replace

import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Networks, Rules
from understudy.engines.gan.half_duel import Fresh, HalfDuel
from understudy.engines.gan.networks import Size
from understudy.engines.gan.norms import norm_of

FIELDS = Fields((1,), (0, 2), (3, 2))
RULES = Rules(moments=5.0, apart=0.3, size=Size(4, 8, 2, "batch", pac=2))


def taught(rules, cuts):
    """Return the derivatives of a batch of 6 packs that is cut into these ranges."""
    drawn = torch.Generator().manual_seed(0)
    networks = Networks(FIELDS, rules, 100.0, drawn).double()
    rows = torch.rand(12, 4, generator=drawn).double()
    rows[:, 0], rows[:, 2], rows[:, 3] = torch.arange(12) % 3, torch.arange(12) % 2, torch.arange(12) % 5
    latent, gumbel, share = (
        torch.rand(*shape, generator=drawn).double() for shape in ((12, 4), (12, 5), (6, 1))
    )
    fresh = Fresh(latent, gumbel, [], share)
    grads = [{each: torch.zeros_like(each) for each in networks.parameters()} for _ in cuts]
    norms = [norm_of(each, grads[0], [2 * len(cut) for cut in cuts]) for each in networks.generator.norms]
    halves = [HalfDuel(networks, grads[at], cut, 6, (at, norms)) for at, cut in enumerate(cuts)]
    with torch.no_grad():
        phases(halves, norms, rows, fresh)
    return [sum(pieces) for pieces in zip(*(each.values() for each in grads), strict=True)]


def phases(halves, norms, rows, fresh):
    for half in halves:
        half.begin(rows, fresh)
    norms[0].join()
    for half in halves:
        half.climb(0)
    norms[1].join()
    for half in halves:
        half.arrive(fresh)
    gap = sum(half.moments for half in halves)
    for half in halves:
        half.judge(fresh, gap)
    for at in (1, 0):
        norms[at].join_back()
        for half in halves:
            half.descend(at)


@pytest.mark.parametrize("norm", ["batch", "layer"])
@pytest.mark.parametrize("cuts", [(range(3), range(3, 6)), (range(1), range(1, 6))])
def test_halves_teach_together_what_the_whole_does(norm, cuts):
    rules = replace(RULES, size=replace(RULES.size, norm=norm))
    for a, b in zip(taught(rules, (range(6),)), taught(rules, cuts), strict=True):
        assert torch.allclose(a, b, atol=1e-12)
