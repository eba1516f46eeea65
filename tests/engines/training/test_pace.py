import math

import pytest

from understudy.engines.training.fit import Settings
from understudy.engines.training.pace import rates, shares


def test_a_constant_rate_stays():
    assert rates(Settings(steps=3, lr=0.5)).tolist() == [0.5, 0.5, 0.5]


def test_a_cosine_is_at_half_its_height_in_the_middle_and_nearly_zero_at_the_end():
    found = rates(Settings(steps=100, lr=2.0, schedule="cosine"))
    assert found[0] == 2.0 and found[50] == pytest.approx(1.0)
    assert found[99] == pytest.approx(1 + math.cos(math.pi * 0.99))


def test_a_warm_up_rises_to_the_rate_and_the_schedule_begins_after_it():
    found = rates(Settings(steps=6, lr=1.0, warmup=2, schedule="linear"))
    assert found.tolist() == [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]


def test_a_warm_up_longer_than_the_training_never_ends():
    assert rates(Settings(steps=2, lr=1.0, warmup=4)).tolist() == [0.25, 0.5]


def test_the_average_takes_in_much_at_first_and_little_later():
    found = shares(Settings(steps=1_000, ema=0.9))
    assert found[0] == pytest.approx(0.9) and found[1] == pytest.approx(1 - 2 / 11)
    assert found[-1] == pytest.approx(0.1)
