import importlib
import random

import numpy as np
import pytest

from testing.planted import Planted, caught
from understudy.testing import seeds


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (seeds.the_same_seed_gives_the_same_rows, "samples_by_entropy", "the same seed gave other rows"),
        (seeds.another_seed_gives_other_rows, "ignores_the_seed", "two seeds gave the same rows"),
        (seeds.two_fits_with_one_seed_give_the_same_rows, "fits_by_entropy", "two fits"),
        (seeds.the_global_random_state_is_untouched, "draws_from_the_world", "generator of numpy was used"),
        (seeds.a_seed_that_is_no_whole_number_is_refused, "takes_any_seed", "sample(seed=-1)"),
    ],
)
def test_the_message_says_what_is_wrong_with_the_seed(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))


def test_drawing_from_either_global_generator_shows_in_its_state():
    before = seeds.global_states()
    random.random()
    after = seeds.global_states()
    assert before["random"] != after["random"]
    assert before["numpy"] == after["numpy"]
    np.random.random()  # noqa: NPY002
    assert seeds.global_states()["numpy"] != after["numpy"]


def test_setting_the_global_seed_shows_too():
    before = seeds.global_states()
    state = importlib.import_module("numpy.random").get_state()
    np.random.seed(1)  # noqa: NPY002
    assert seeds.global_states()["numpy"] != before["numpy"]
    np.random.set_state(state)  # noqa: NPY002
