import os

import pytest
import torch

from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.errors import ParameterError, WriteError

STATE = {"a": torch.arange(3.0), "b": torch.ones(2, 2, dtype=torch.int64)}


def keeper(folder, identity="x", told=None):
    return Keeper(folder, "vae", identity, [].append if told is None else told.append)


def test_what_is_kept_is_found_again(tmp_path):
    keeper(tmp_path / "new").save(Checkpoint(64, False, STATE, {"best": 0.5}))
    found = keeper(tmp_path / "new").found()
    assert (found.step, found.finished, found.facts) == (64, False, {"best": 0.5})
    assert all(torch.equal(found.tensors[name], value) for name, value in STATE.items())


def test_a_checkpoint_of_something_else_is_not_used_and_that_is_said(tmp_path):
    told = []
    keeper(tmp_path).save(Checkpoint(64, False, STATE))
    assert keeper(tmp_path, "other", told).found() is None
    assert "other data or settings" in told[0]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 100])
def test_a_broken_checkpoint_is_not_used_and_that_is_said(tmp_path, content):
    told = []
    (tmp_path / "vae.safetensors").write_bytes(content)
    assert keeper(tmp_path, told=told).found() is None
    assert "cannot be read" in told[0]


def test_a_cut_off_checkpoint_is_not_used(tmp_path):
    keeper(tmp_path).save(Checkpoint(64, False, STATE))
    whole = (tmp_path / "vae.safetensors").read_bytes()
    (tmp_path / "vae.safetensors").write_bytes(whole[:-8])
    assert keeper(tmp_path).found() is None


def test_without_a_folder_nothing_is_kept():
    nothing = keeper(None)
    nothing.save(Checkpoint(1, True, STATE))
    assert nothing.found() is None and not nothing.due


def test_a_save_is_due_only_now_and_then(tmp_path):
    kept = keeper(tmp_path)
    assert not kept.due
    kept._every = 0.0
    assert kept.due


@pytest.mark.skipif(os.name == "nt", reason="no permissions of this kind")
def test_a_checkpoint_is_for_its_owner_alone(tmp_path):
    keeper(tmp_path).save(Checkpoint(1, True, STATE))
    assert (tmp_path / "vae.safetensors").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="file"):
        keeper(tmp_path / "file").save(Checkpoint(1, True, STATE))


def test_a_stage_cannot_name_a_file_elsewhere(tmp_path):
    with pytest.raises(ParameterError, match="name of a stage"):
        Keeper(tmp_path, "../vae", "x", print)
