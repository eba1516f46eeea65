import pytest
import torch
from torch import nn

from engines.dpsgd.networks import one_by_one, plan_of, squared
from understudy.engines.dpsgd.clipper import Clipper
from understudy.engines.dpsgd.functional import largest_microbatch, written_gradients


class Pair(nn.Module):
    """A model whose loss uses its parts, not its forward."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, 2, 2), nn.Linear(6, 4)


def rebuilt(model, x):
    return (model.decoder(model.encoder(x[:, None]).flatten(1)) - x).square().sum(1)


def test_every_gradient_equals_one_backward_pass_wherever_the_loss_uses_the_model():
    model, x = Pair(), torch.randn(3, 4)
    found = written_gradients(model, rebuilt, (x,), dict(model.named_parameters()))
    for name, parameter in model.named_parameters():
        expected = torch.stack([each[name] for each in one_by_one(model, rebuilt, x)])
        torch.testing.assert_close(found[parameter].norms(), expected.flatten(1).norm(dim=1))


def test_dropout_draws_for_each_record():
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(64, 1, bias=False))
    found = written_gradients(
        model, lambda m, x: m(x)[:, 0], (torch.ones(2, 64),), dict(model.named_parameters())
    )
    total = torch.zeros(1, 64)
    found[model[1].weight].add_to(total, torch.tensor([1.0, -1.0]), None)
    assert total.norm() > 0


@pytest.mark.parametrize(("parameters", "records"), [(1, 2**26), (2**20, 64), (2**30, 1)])
def test_micro_batches_bound_the_numbers_written_down(parameters, records):
    assert largest_microbatch(parameters) == records


def test_the_functional_road_runs_in_micro_batches_of_its_own_accord(monkeypatch):
    sizes, whole = [], written_gradients
    monkeypatch.setattr("understudy.engines.dpsgd.clipper.largest_microbatch", lambda _: 3)
    monkeypatch.setattr(
        "understudy.engines.dpsgd.clipper.written_gradients",
        lambda model, loss, rows, named: sizes.append(len(rows[0])) or whole(model, loss, rows, named),
    )
    from engines.dpsgd.networks import batch_of

    plan = plan_of()
    clipper = Clipper(nn.Linear(2, 1), plan, "functional")
    clipper.run(batch_of(plan, torch.ones(7, 2), torch.ones(7, 1)), squared)
    assert sizes == [3, 3, 1]
