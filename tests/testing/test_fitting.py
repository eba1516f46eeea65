import pyarrow as pa
import pytest

from testing.planted import Planted
from understudy.errors import ParameterError, WhereError
from understudy.testing.fitting import as_bytes, fit, fit_people, in_arrow, refused


def test_equal_tables_have_equal_bytes_however_they_are_chunked():
    whole = pa.table({"a": [1, 2, 3]})
    parts = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    assert as_bytes(whole) == as_bytes(parts)


@pytest.mark.parametrize(
    "other",
    [
        pa.table({"a": [1, 2, 4]}),
        pa.table({"b": [1, 2, 3]}),
        pa.table({"a": pa.array([1, 2, 3], pa.int8())}),
        pa.table({"a": [1, 2, None]}),
    ],
)
def test_another_cell_name_type_or_hole_gives_other_bytes(other):
    assert as_bytes(pa.table({"a": [1, 2, 3]})) != as_bytes(other)


def test_anything_but_an_arrow_table_is_reported_as_such():
    with pytest.raises(AssertionError, match="a list came back"):
        in_arrow([1, 2])


def test_a_refusal_of_the_wanted_type_is_accepted():
    refused(lambda: fit(Planted(), pa.table({"a": [1]}), seed=-1), ParameterError, "seed")


def test_an_act_that_is_not_refused_is_reported():
    with pytest.raises(AssertionError, match="the act: expected WhereError; it was accepted"):
        refused(lambda: 1, WhereError, "the act")


def test_a_refusal_of_another_type_is_reported():
    with pytest.raises(AssertionError, match="the act: expected WhereError; got ZeroDivisionError"):
        refused(lambda: 1 // 0, WhereError, "the act")


def test_checks_that_only_sample_share_one_model():
    assert fit_people(Planted()) is fit_people(Planted())
