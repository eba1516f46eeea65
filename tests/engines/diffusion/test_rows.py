"""Rows are taken apart and put together again."""

import numpy as np
import torch

from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.fields import Fields
from understudy.engines.generator import Known

FIELDS = Fields(numbers=(1, 3), codes=(0, 2), sizes=(4, 2))
MATRIX = np.array([[3, 0.5, 1, -2], [0, 1.5, 0, 7]], dtype=np.float32)


def test_rows_that_are_split_and_joined_are_the_same():
    rows = Rows(FIELDS)
    numbers, codes = rows.split(torch.from_numpy(MATRIX))
    assert numbers.tolist() == [[0.5, -2.0], [1.5, 7.0]]
    assert codes.tolist() == [[3, 1], [0, 0]]
    assert np.array_equal(rows.join(numbers, codes), MATRIX)


def test_known_cells_go_where_their_kind_is():
    mask = np.array([[True, False, False, True], [False, True, True, False]])
    fixed = Rows(FIELDS).fixed(Known(MATRIX, mask))
    assert fixed is not None
    assert fixed.numbers_mask.tolist() == [[False, True], [True, False]]
    assert fixed.codes_mask.tolist() == [[True, False], [False, True]]
    assert Rows(FIELDS).fixed(None) is None


def test_noise_follows_the_generator_that_it_comes_from():
    draws = [
        torch.rand(3, generator=noise_of(np.random.default_rng(seed), torch.device("cpu")))
        for seed in (0, 0, 1)
    ]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
