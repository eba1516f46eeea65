"""Shadows of a synthesizer: of different records, once for all who ask, kept if a folder is given."""

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import TooFewRows
from understudy.measuring.shadow_cast import Size, cast, different
from understudy.synth.copy import Copy
from understudy.synth.histogram import Histogram
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

SIZE = Size(models=4, sets=2, records=1_000)


def shown(table=None):
    return Evidence(train=law(40, 0) if table is None else table, synthetic=law(30, 2))


def test_every_set_of_a_copy_holds_the_records_inside_and_no_others():
    found = cast(shown(), "train", Copy(), SIZE, 0)
    assert len(found.records) == 40
    for model in range(4):
        real = found.records.take(np.flatnonzero(found.inside[model]))
        for name, values in found.drawn(model, 1).arrays.items():
            np.testing.assert_array_equal(np.sort(values), np.sort(real[name]))


def test_of_equal_rows_one_is_a_record():
    table = pa.concat_tables([law(20, 0), law(20, 0).slice(0, 5)])
    places = different(shown(table).coded("train"))
    assert sorted(places.tolist()) == list(range(20))
    assert len(cast(shown(table), "train", Copy(), SIZE, 0).records) == 20


def test_records_stand_in_an_order_that_rows_do_not_change():
    table, order = law(40, 0), np.random.default_rng(1).permutation(40)
    one, other = (cast(shown(each), "train", Histogram(), SIZE, 0) for each in (table, table.take(order)))
    np.testing.assert_array_equal(one.records["rise"], other.records["rise"])
    np.testing.assert_array_equal(one.places, order[other.places])
    for model in range(4):
        np.testing.assert_array_equal(one.drawn(model, 0)["rise"], other.drawn(model, 0)["rise"])


def test_of_many_records_so_many_are_drawn():
    found = cast(shown(), "train", Copy(), Size(4, 1, 10), 0)
    assert len(found.records) == len(set(found.places.tolist())) == 10
    assert found.rows == 40


def test_shadows_are_cast_once_for_all_who_ask():
    evidence = shown()
    first, second = (cast(evidence, "train", Copy(), SIZE, 0).shadows for _ in range(2))
    assert first is second
    assert cast(evidence, "train", Copy(), SIZE, 1).shadows is not first


def test_models_are_kept_and_found_again_for_the_same_rows_and_settings_only(tmp_path):
    size = Size(4, 1, 1_000, keep=str(tmp_path))
    first = cast(shown(), "train", Copy(), size, 0)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/model-*.safetensors")}
    again = cast(shown(), "train", Copy(), size, 0)
    assert len(times) == 4
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/model-*.safetensors")}
    np.testing.assert_array_equal(first.drawn(2, 0)["rise"], again.drawn(2, 0)["rise"])
    cast(shown(), "train", Histogram(), size, 0)
    cast(shown(law(40, 9)), "train", Copy(), size, 0)
    cast(shown(), "train", Copy(), size, 1)
    assert len(list(tmp_path.iterdir())) == 4
    assert not list(tmp_path.glob("*/*.arrow"))


def test_processes_cast_the_same_shadows():
    one, other = (cast(shown(), "train", Histogram(), Size(4, 1, 1_000, workers), 0) for workers in (0, 2))
    for model in range(4):
        for name, values in one.drawn(model, 0).arrays.items():
            np.testing.assert_array_equal(values, other.drawn(model, 0)[name])


def test_two_records_are_too_few():
    with pytest.raises(TooFewRows, match="4 different rows"):
        cast(shown(law(2, 0)), "train", Copy(), SIZE, 0)
