import pytest
import torch

from understudy.engines.dpsgd.secret import make_secret
from understudy.errors import UnderstudyError
from understudy.privacy.stream import Stream


def drawn(stream, count=20_000):
    generator = torch.Generator()
    make_secret(generator, stream)
    return torch.rand(count, generator=generator)


def test_one_stream_gives_one_state_and_another_stream_another():
    first, again, other = (drawn(Stream.unsafe_test_noise(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_what_is_drawn_is_uniform():
    found = drawn(Stream.unsafe_test_noise(3))
    assert float(found.mean()) == pytest.approx(0.5, abs=0.01)
    assert float(found.var()) == pytest.approx(1 / 12, abs=0.002)


def test_the_state_holds_more_than_the_seed_tells():
    generator, seeded = torch.Generator(), torch.Generator()
    make_secret(generator, Stream.unsafe_test_noise(4))
    seeded.manual_seed(generator.initial_seed())
    assert not torch.equal(torch.rand(9, generator=generator), torch.rand(9, generator=seeded))


def test_a_state_of_another_form_is_refused():
    class Other:
        device = torch.device("cpu")

        def manual_seed(self, _seed):
            return self

        def initial_seed(self):
            return 5

        def get_state(self):
            return torch.zeros(5_056, dtype=torch.uint8)

    with pytest.raises(UnderstudyError, match="another form"):
        make_secret(Other(), Stream.unsafe_test_noise(5))
