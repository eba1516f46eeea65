"""Arrays in files: whole or not there."""

import numpy as np

from understudy.engines.shadows.files import read, write

ARRAYS = {
    "a/b": np.arange(6, dtype=np.int32),
    "names": np.array([True, False]),
    "é": np.array([[np.nan, 1.0]]),
}


def test_arrays_of_any_name_and_kind_come_back(tmp_path):
    write(ARRAYS, tmp_path / "x.safetensors")
    found = read(tmp_path / "x.safetensors")
    assert list(found) == list(ARRAYS)
    for name, values in ARRAYS.items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype
    assert [path.name for path in tmp_path.iterdir()] == ["x.safetensors"]


def test_a_file_that_was_cut_short_or_is_none_of_ours_is_as_good_as_none(tmp_path):
    place = tmp_path / "x.safetensors"
    write(ARRAYS, place)
    whole = place.read_bytes()
    for size in (0, 5, len(whole) // 2, len(whole) - 3):
        place.write_bytes(whole[:size])
        assert read(place) is None
    place.write_bytes(b"{}" * 50)
    assert read(place) is None
