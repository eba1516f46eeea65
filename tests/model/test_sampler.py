import numpy as np
import pytest

from testing.planted import Bootstrap
from understudy.errors import InputError
from understudy.model.sampler import Sampler
from understudy.table.schema import Schema


def test_a_sampler_must_draw_and_write_itself_down():
    with pytest.raises(TypeError, match=r"draw.*restore.*state"):
        Sampler()


def test_a_sampler_says_whether_it_honours_conditions():
    assert Bootstrap.conditional is False


def test_a_sampler_that_cannot_avoid_broken_rows_stays_as_it_is():
    schema = Schema.model_validate({"columns": [{"name": "a", "kind": "numerical"}], "rules": ["a > 3"]})
    sampler = Bootstrap({"a": np.arange(3)})
    assert sampler.avoiding(schema) is sampler


def test_a_sampler_that_fills_no_cells_says_which_methods_do():
    with pytest.raises(InputError, match="tabddpm"):
        Bootstrap({"a": np.arange(3)}).impute({"a": np.arange(3)}, np.random.default_rng(0))


def test_a_sampler_without_a_density_says_which_methods_have_one():
    with pytest.raises(InputError, match="arf"):
        Bootstrap({"a": np.arange(3)}).log_density({"a": np.arange(3)})
