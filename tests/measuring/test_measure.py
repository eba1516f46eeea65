"""A measure gives a result with its name, its time, its direction and what the tables have to say."""

import math

import pyarrow as pa
import pytest

from measuring import toys
from understudy.errors import InputError, ParameterError
from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.table.evidence import Evidence


def test_a_result_carries_the_name_the_direction_and_the_time():
    result = toys.Drawn()(toys.evidence())
    assert isinstance(result, Result)
    assert (result.name, result.better, result.saw_real_rows) == ("fidelity.toys", "lower", True)
    assert 0 < result.seconds < 10


def test_a_result_holds_plain_numbers_whatever_a_measure_found():
    result = toys.Drawn()(toys.evidence())
    assert type(result.n) is int and type(result.value) is float
    assert all(type(value) is float for value in toys.Distance()(toys.evidence()).parts.values())


def test_the_notes_of_the_tables_stand_behind_those_of_the_measure():
    table = pa.table({"x": [1.5, 2.5, 4.5] * 10})
    assert toys.Drawn()(Evidence(train=table, synthetic=table)).notes == (
        "drawn",
        "the synthetic table is the train table, row for row",
    )


def test_the_seed_decides_every_draw():
    evidence = toys.evidence()
    first, again, other = (toys.Drawn()(evidence, seed=seed).value for seed in (1, 1, 2))
    assert first == again != other


def test_a_seed_that_is_no_whole_number_is_refused():
    with pytest.raises(ParameterError, match="seed must be"):
        toys.Drawn()(toys.evidence(), seed=-1)


@pytest.mark.parametrize("given", ["x", None, pa.table({"x": [1.5]})])
def test_what_is_no_evidence_is_refused_by_its_kind(given):
    with pytest.raises(InputError, match=rf"expected us.Evidence.*; got {type(given).__name__}"):
        toys.Drawn()(given)


def test_a_setting_out_of_its_range_is_refused():
    with pytest.raises(ParameterError, match="scale must be a number from 0 to 10"):
        toys.Drawn(scale=math.nan)


def test_the_summary_is_the_first_line():
    assert toys.Gap.summary() == "The difference of the means of x; 0 is best."


def test_a_measure_without_find_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Measure()
