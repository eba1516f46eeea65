"""One model's sets: made from its half, kept whole or not at all."""

import numpy as np
import pytest

from engines.shadows.toys import Echo, Short
from understudy.engines.shadows.models import kept, made, put_up
from understudy.engines.shadows.plan import Plan
from understudy.errors import ParameterError

PLAN = Plan.of(20, 4, 3, 0)


def test_a_model_learns_from_its_half_alone():
    for model in range(4):
        columns = made(Echo(), PLAN, model)
        assert len(columns["place"]) == 30
        assert PLAN.inside[model][columns["place"]].all()
        assert columns["seed"][0] == PLAN.seeds(model)[0] % 1_000


def test_sets_of_one_model_differ():
    places = made(Echo(), PLAN, 0)["place"].reshape(3, 10)
    assert (places[0] != places[1]).any()


def test_what_is_put_up_comes_back(tmp_path):
    columns = {"a/b": np.arange(30, dtype=np.int32), "names": np.linspace(0, 1, 30), "é": np.full(30, np.nan)}
    put_up(columns, tmp_path, 2)
    found = kept(tmp_path, PLAN, 2)
    assert list(found) == list(columns)
    for name, values in columns.items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype
    assert [path.name for path in tmp_path.iterdir()] == ["model-2.safetensors"]


def test_a_file_that_was_cut_short_is_as_good_as_none(tmp_path):
    put_up({"x": np.arange(30)}, tmp_path, 0)
    place = tmp_path / "model-0.safetensors"
    whole = place.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 3):
        place.write_bytes(whole[:size])
        assert kept(tmp_path, PLAN, 0) is None
    assert kept(tmp_path, PLAN, 1) is None


def test_sets_of_another_size_are_not_those_of_the_plan(tmp_path):
    put_up({"x": np.arange(29)}, tmp_path, 0)
    assert kept(tmp_path, PLAN, 0) is None


def test_a_model_that_draws_too_few_rows_is_refused():
    with pytest.raises(ParameterError, match="expected sets of 10 rows"):
        made(Short(), PLAN, 0)
