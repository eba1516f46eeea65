"""A critic written out teaches what the critic does by two automatic differentiations, one of the other."""

import pytest
import torch
from torch.nn import functional

from understudy.engines.gan.duel import Rules
from understudy.engines.gan.judging import GROUPS, Judge
from understudy.engines.gan.networks import Critic, Size

PACKS, WHOLE, PAC = 5, 8, 2


def scores_of(critic, x, places, kept, group):
    """Return scores with so much kept of each layer, by small functions."""
    for at, layer in enumerate(critic.layers):
        h = layer(x) if at else layer(x) + critic._asked(places)
        x = functional.leaky_relu(h, 0.2) * kept[at][group]
    return critic.leave(x)[:, 0]


def lost_by(critic, rules, made, real, around):
    """Return the sums that the critic and the generator learn from; slopes are derived automatically."""
    places, kept, share = around
    far, near = (scores_of(critic, x, places, kept, at) for at, x in enumerate((made.detach(), real)))
    again = scores_of(critic, made, places, kept, 3)
    between = (made + share * (real - made)).detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(
        scores_of(critic, between, places, kept, 2).sum(), between, create_graph=True
    )
    penalty = rules.penalty * (slope.norm(dim=-1) - 1).square().sum()
    if rules.loss == "wasserstein":
        return (far - near).sum() + penalty, -again.sum()
    return (functional.softplus(far) + functional.softplus(-near)).sum() + penalty, functional.softplus(
        -again
    ).sum()


@pytest.mark.parametrize("loss", ["wasserstein", "logistic"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("levels", [0, 4])
def test_it_teaches_what_automatic_differentiation_does(loss, depth, levels):
    drawn, rules = torch.Generator().manual_seed(0), Rules(loss=loss, penalty=7.0)
    critic = Critic(3, levels, Size(4, 8, depth, pac=PAC, dropout=0.5), drawn).double()
    grads = {parameter: torch.zeros_like(parameter) for parameter in critic.parameters()}
    made, real = (torch.randn(PACKS, 3 * PAC, generator=drawn).double() for _ in range(2))
    places = torch.randint(max(levels, 1), (PACKS, PAC), generator=drawn)
    kept = [2.0 * (torch.rand(GROUPS, PACKS, 8, generator=drawn).double() > 0.5) for _ in range(depth)]
    share = torch.rand(PACKS, 1, generator=drawn).double()
    judge = Judge(critic, rules, grads, PACKS, WHOLE)
    with torch.no_grad():
        judge.made.copy_(made.view(-1, 3))
        judge.real.copy_(real.view(-1, 3))
        judge.put(places, kept, share)
    made.requires_grad_(True)
    critics, generators = lost_by(critic, rules, made, real, (places, kept, share))
    wanted = torch.autograd.grad(critics / WHOLE, list(critic.parameters()), allow_unused=True)
    for a, b in zip(wanted, grads.values(), strict=True):
        assert torch.allclose(torch.zeros_like(b) if a is None else a, b, atol=1e-10)
    (by_made,) = torch.autograd.grad(generators / WHOLE, made)
    assert torch.allclose(by_made, judge.by_made.view(PACKS, -1))
