"""Evidence in a private folder: the same for every process, and gone when the block ends."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections import namedtuple

import numpy as np
import pyarrow as pa
import pytest

from measuring import toys
from understudy.measuring import sharing
from understudy.measuring.sharing import reopen, shared
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema

HOLD = """
import sys, time
from measuring import toys
from understudy.measuring.sharing import shared
with shared(toys.evidence()) as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


def test_another_process_sees_the_same_tables():
    evidence = toys.evidence(target="sex")
    with shared(evidence) as folder:
        again = reopen(folder)
        for role in ("train", "synthetic"):
            assert again.table(role).to_arrow().equals(evidence.table(role).to_arrow())
            assert again.coded(role).domain == evidence.coded(role).domain
            for column in evidence.coded(role).domain:
                np.testing.assert_array_equal(
                    again.coded(role)[column.name], evidence.coded(role)[column.name]
                )
        assert (again.target, again.chose_target) == ("sex", True)
        assert (again.schema, again.notes) == (evidence.schema, evidence.notes)
        assert not again.has("holdout")


def test_every_role_and_an_own_choice_of_target_come_along():
    rng = np.random.default_rng(0)
    make = lambda: pa.table({"x": rng.standard_normal(30), "g": rng.choice(["a", "b"], 30)})
    evidence = Evidence(train=make(), holdout=make(), reference=make(), synthetic=make())
    with shared(evidence) as folder:
        again = reopen(folder)
        assert all(again.has(role) for role in ("train", "holdout", "reference", "synthetic"))
        assert not again.chose_target and again.target == evidence.target


def test_a_schema_that_was_given_comes_along():
    table = pa.table({"code": [1, 2, 3, 2] * 5, "x": [0.5, 1.5, 2.5, 3.5] * 5})
    schema = Schema.from_json(
        '{"columns": [{"name": "code", "kind": "categorical"}, {"name": "x", "kind": "numerical"}]}'
    )
    evidence = Evidence(train=table, synthetic=table.slice(3), schema=schema)
    with shared(evidence) as folder:
        assert [column.quantity for column in reopen(folder).coded("train").domain] == [False, True]


def test_tables_of_dictionaries_and_several_chunks_come_along():
    words = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["c"]).dictionary_encode()])
    table = pa.table({"w": words, "x": pa.chunked_array([[1.5, 2.5], [3.5]])})
    with shared(Evidence(train=table, synthetic=table.slice(1))) as folder:
        assert reopen(folder).coded("train")["w"].tolist() == [0, 1, 2]


def test_only_the_owner_can_enter_the_folder():
    with shared(toys.evidence()) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_folder_is_gone_after_the_block_and_after_an_error():
    with shared(toys.evidence()) as folder:
        assert folder.is_dir()
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), shared(toys.evidence()) as folder:
        print(1 / 0)
    assert not folder.exists()


def started():
    paths = os.pathsep.join(sys.path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return holder, holder.stdout.readline().strip()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent")
def test_the_folder_is_gone_after_an_interrupt():
    holder, folder = started()
    assert os.path.isdir(folder)
    holder.send_signal(signal.SIGINT)
    holder.communicate(timeout=60)
    assert not os.path.exists(folder)


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_what_a_killed_process_leaves_is_taken_away_by_the_next():
    holder, folder = started()
    holder.kill()
    holder.communicate(timeout=60)
    assert os.path.isdir(folder)
    with shared(toys.evidence()):
        assert not os.path.exists(folder)


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_the_folder_of_a_living_process_is_left_alone():
    holder, folder = started()
    with shared(toys.evidence()):
        assert os.path.isdir(folder)
    holder.kill()
    holder.communicate(timeout=60)
    with shared(toys.evidence()):
        assert not os.path.exists(folder)


@pytest.mark.parametrize("free", [0, 2**40])
def test_without_room_in_memory_the_temporary_folder_serves(free, monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    (tmp_path / "memory").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(sharing, "MEMORY", tmp_path / "memory")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2**41, 0, free))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with shared(toys.evidence()) as folder:
        assert folder.parent.name == ("memory" if free else "temporary")


def test_opening_takes_no_longer_for_larger_tables():
    with shared(toys.evidence(rows=200_000)) as folder:
        start = time.perf_counter()
        again = reopen(folder)
        assert len(again.coded("train")["x"]) == 200_000
        assert time.perf_counter() - start < 1
