"""Values go on a shelf and come back as they were, without a pickle; what has no form there is refused."""

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from measuring import toys
from understudy.measuring import shelf
from understudy.measuring.encoder import Encoder
from understudy.measuring.shelf import Unshareable
from understudy.table.coded import CodedColumn
from understudy.table.schema import Column


def through(value, folder):
    shelf.write(value, folder)
    return shelf.read(folder)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(2**70),
        0.1,
        math.inf,
        "ein Wört\x00\n\ud7ff",
        (),
        [1, (2.5, None), ["a"]],
        {"a": 1, ("b", 2): {"c": ()}, 3: "d"},
        {"dict": 1, "file": 2},
        Column(name="age", kind="numerical", type="int64"),
    ],
    ids=repr,
)
def test_plain_values_come_back_as_they_were(value, tmp_path):
    back = through(value, tmp_path)
    assert back == value and type(back) is type(value)


def test_nan_comes_back_as_nan(tmp_path):
    assert math.isnan(through(math.nan, tmp_path))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (0, 4), (50, 7), (2_000, 3)])
def test_arrays_keep_their_type_shape_and_every_bit(dtype, shape, tmp_path):
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    back = through(values, tmp_path)
    assert type(back) is np.ndarray and back.dtype == values.dtype
    np.testing.assert_array_equal(back, values, strict=True)
    assert not back.flags.writeable


def test_arrays_in_the_order_of_columns_keep_it(tmp_path):
    values = np.asfortranarray(np.arange(6_000.0).reshape(2_000, 3))
    assert through(values, tmp_path).flags.f_contiguous
    np.testing.assert_array_equal(shelf.read(tmp_path), values)


def test_a_number_of_numpy_stays_one(tmp_path):
    back = through(np.float32(0.1), tmp_path)
    assert type(back) is np.float32 and back == np.float32(0.1)


def test_a_large_array_is_mapped_and_not_copied(tmp_path):
    back = through(np.arange(100_000.0), tmp_path)
    assert isinstance(back.base, np.memmap)


@pytest.mark.parametrize(
    "values", [pa.array(["a", None, "b"]), pa.array([1, 2], pa.int8()), pa.array([], pa.string())], ids=str
)
def test_arrow_arrays_come_back_with_their_type(values, tmp_path):
    back = through(values, tmp_path)
    assert back.type == values.type and back.equals(values)


def test_what_measures_share_comes_back_as_it_was(tmp_path):
    table = toys.evidence().coded("train")
    encoder = Encoder.fit(table, "normal")
    (tmp_path / "e").mkdir()
    (tmp_path / "t").mkdir()
    again, table_again = through(encoder, tmp_path / "e"), through(table, tmp_path / "t")
    np.testing.assert_array_equal(again.matrix(table_again), encoder.matrix(table))
    assert again.labels == encoder.labels


def test_the_code_of_real_tables_comes_back_as_it_was(tmp_path):
    coding = toys.evidence().coding
    back = through(coding, tmp_path)
    assert back.columns == coding.columns and back.left_out == coding.left_out
    assert back.domain == coding.domain and all(type(column) is CodedColumn for column in back.domain)
    assert all(back.levels[name].equals(levels) for name, levels in coding.levels.items())


@dataclass(frozen=True)
class Stranger:
    x: int = 1


@pytest.mark.parametrize(
    "value",
    [
        Stranger(),
        object(),
        {1, 2},
        np.array([object()]),
        np.array(["a"]),
        np.array([1 + 2j]),
        {"a": [np.array([None])]},
        print,
        np.ma.array([1.0]).dtype,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_form_is_refused(value, tmp_path):
    with pytest.raises(Unshareable, match="has no form here"):
        shelf.write(value, tmp_path)
