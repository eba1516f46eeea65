"""A synthesizer as the shadow engine wants it."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from understudy.measuring.shadow_fit import Fitting, fitting, own_schema
from understudy.synth.copy import Copy
from understudy.synth.histogram import Histogram
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.judging import LAW, law


def shown():
    return Evidence(train=law(30, 0), synthetic=law(30, 2))


def test_a_copy_draws_the_rows_at_the_places_it_was_given_in_the_code_of_the_evidence():
    evidence, places = shown(), np.array([3, 5, 8, 11, 20])
    with fitting(evidence, "train", places, Copy()) as make:
        drawn = make(np.array([0, 2]), 1)(2, 7)
    real = evidence.coded("train").take(np.array([3, 8]))
    assert set(drawn) == set(real.arrays)
    for name, values in drawn.items():
        np.testing.assert_array_equal(np.sort(values), np.sort(real[name]))


def test_it_crosses_to_another_process_as_plain_fields():
    with fitting(shown(), "train", np.arange(10), Histogram()) as make:
        fields = json.loads(json.dumps(vars(make)))
        one, other = make(np.arange(8), 1)(5, 7), Fitting(**fields)(np.arange(8), 1)(5, 7)
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])


def test_the_rows_are_gone_when_the_block_ends():
    with fitting(shown(), "train", np.arange(10), Copy()) as make:
        folder = Path(make.folder)
        assert folder.is_dir() and folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_what_was_looked_up_in_rows_is_left_open_and_what_was_declared_stays():
    seen = own_schema(Schema.infer(Table(pa.table({"x": [1.5, 2.5, 9.5], "w": ["a", "b", "a"]}))))
    assert seen.column("x").bounds is None and seen.column("w").levels is None
    assert own_schema(LAW).column("dose").bounds == LAW.column("dose").bounds
    assert own_schema(LAW).column("ward").levels == LAW.column("ward").levels
