import numpy as np
import pytest

from understudy.codec.encoder import CodeEncoder, NumberEncoder, filled


@pytest.mark.parametrize("abstract", [NumberEncoder, CodeEncoder])
def test_an_encoder_must_say_how_it_encodes(abstract):
    with pytest.raises(TypeError, match="abstract"):
        abstract()


def test_missing_numbers_become_zero_and_the_others_stay():
    gone = np.array([True, False])
    assert filled(np.array([5.0, 6.0]), gone, None, normal=False).tolist() == [0.0, 6.0]


@pytest.mark.parametrize(("normal", "deviation"), [(True, 1.0), (False, 3**-0.5)])
def test_missing_numbers_can_be_drawn_like_any_other(normal, deviation):
    numbers = np.full(20_000, 9.0)
    gone = np.arange(20_000) > 0
    drawn = filled(numbers, gone, np.random.default_rng(0), normal=normal)
    assert drawn[0] == 9.0
    assert abs(drawn[1:].mean()) < 0.03
    assert abs(drawn[1:].std() - deviation) < 0.03
    assert (numbers == 9.0).all(), "the argument is not changed"
