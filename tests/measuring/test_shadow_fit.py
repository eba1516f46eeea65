"""A synthesizer as the shadow engine wants it."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from understudy.engines.shadows.plan import Plan
from understudy.engines.shadows.training import train
from understudy.measuring import shadow_fit
from understudy.measuring.shadow_fit import Fitting, fitting, on_device, own_schema
from understudy.synth.copy import Copy
from understudy.synth.histogram import Histogram
from understudy.synth.tabddpm import TabDDPM
from understudy.synth.tldm import TLDM
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


LESSONS = [(np.arange(20), 5), (np.arange(10, 30), 6), (np.arange(5, 25), 7)]


@pytest.mark.parametrize("recipe", [TabDDPM.small(), TLDM.small()])
def test_networks_train_as_one_and_are_found_trained(tmp_path, monkeypatch, recipe):
    from understudy.engines.training import together as room

    seen, train = [], room._train_one_side
    monkeypatch.setattr(room, "_train_one_side", lambda them: (seen.append(len(them)), train(them))[1])
    monkeypatch.setattr(shadow_fit, "on_device", lambda _: True)
    with fitting(shown(), "train", np.arange(30), recipe, keep=tmp_path) as make:
        draws = make.together(LESSONS)
        assert set(seen) == {3}
        again = [Fitting(**vars(make))(*lesson) for lesson in LESSONS]
    assert set(seen) == {3}
    for one, other in zip(draws, again, strict=True):
        left, right = one(6, 3), other(6, 3)
        for name, values in left.items():
            np.testing.assert_array_equal(values, right[name])


def test_processes_that_draw_train_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(shadow_fit, "on_device", lambda _: True)
    plan = Plan.of(30, 2, 1, 5)
    with fitting(shown(), "train", np.arange(30), TabDDPM.small(), keep=tmp_path / "training") as make:
        make.together([(np.flatnonzero(plan.inside[model]), plan.seeds(model)[0]) for model in range(2)])
        kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}
        found = train(make, plan, tmp_path / "models", workers=1)
    assert len(kept) == 2 and kept == {path: path.stat().st_mtime_ns for path in kept}
    assert all(len(values) == plan.rows for columns in found.columns for values in columns.values())


def test_more_models_than_can_be_held_at_once_come_in_parts(tmp_path, monkeypatch):
    from understudy.engines.training import together as room

    seen, together = [], room.together
    monkeypatch.setattr(room, "together", lambda jobs: (seen.append(len(jobs)), together(jobs))[1])
    monkeypatch.setattr(shadow_fit, "_AT_ONCE", 2)
    monkeypatch.setattr(shadow_fit, "on_device", lambda _: True)
    with fitting(shown(), "train", np.arange(30), TabDDPM.small(), keep=tmp_path) as make:
        assert len(make.together(LESSONS)) == 3
    assert seen == [2, 1]


def test_without_a_device_or_without_networks_there_is_no_stack(tmp_path):
    assert not on_device(Histogram()) and not on_device(TabDDPM(device="cpu"))
    for recipe in (Histogram(), TabDDPM(device="cpu")):
        with fitting(shown(), "train", np.arange(30), recipe, keep=tmp_path) as make:
            assert make.keep == "" and make.together(LESSONS) == ()
