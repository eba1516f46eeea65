import numpy as np
import pytest
import torch

from understudy.engines.dpsgd.source import ChaCha, source_for
from understudy.privacy.stream import Stream

CPU = torch.device("cpu")


@pytest.fixture(params=["stream", "chacha"])
def make(request):
    return {"stream": lambda s: source_for(s, CPU), "chacha": lambda s: ChaCha(s, CPU)}[request.param]


def noise(source, step, n=5_000):
    out = torch.empty(n)
    source.noise(torch.tensor([step], dtype=torch.int32), 1000.0, out)
    return out


def test_noise_belongs_to_key_and_step_and_can_be_drawn_again(make):
    stream = Stream.fresh()
    first = noise(make(stream), 3)
    assert torch.equal(first, noise(make(stream), 3))
    assert not torch.equal(first, noise(make(stream), 4))
    assert not torch.equal(first, noise(make(Stream.fresh()), 3))


def test_no_seed_reaches_the_noise_or_the_batches(make):
    def draw():
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002 - the global seed that must not matter
        source = make(Stream.fresh())
        return noise(source, 0), source.members(torch.zeros(1, dtype=torch.int32), 0.5, 1_000)

    (noise_1, members_1), (noise_2, members_2) = draw(), draw()
    assert not torch.equal(noise_1, noise_2) and not torch.equal(members_1, members_2)


def test_members_of_many_steps_are_those_of_each(make):
    source = make(Stream.fresh())
    steps = torch.arange(4, dtype=torch.int32)
    many = source.members(steps, 0.3, 777)
    assert many.shape == (4, 777)
    assert torch.equal(many[2:3], source.members(steps[2:3], 0.3, 777))
    assert abs(float(many.double().mean()) - 0.3) < 0.05
