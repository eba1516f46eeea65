"""A crash leaves the old file or the new one, never a mixture and never a temporary one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from understudy.errors import WriteError
from understudy.table.atomic import replacing, write_bytes

as_root = os.geteuid() == 0


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    return path


def alone(path):
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_new_file_takes_the_place_of_the_old_one(old):
    assert write_bytes(old, b"new") == old
    assert old.read_bytes() == b"new"
    assert alone(old)


@pytest.mark.parametrize("crash", [ValueError, KeyboardInterrupt, MemoryError])
def test_a_crash_inside_the_block_leaves_the_old_file_and_no_other(old, crash):
    def write_half():
        with replacing(old) as file:
            file.write(b"half")
            file.flush()
            raise crash

    with pytest.raises(crash):
        write_half()
    assert old.read_bytes() == b"old"
    assert alone(old)


def test_before_the_block_ends_nobody_sees_the_new_content(old):
    with replacing(old) as file:
        file.write(b"new")
        file.flush()
        assert old.read_bytes() == b"old"
    assert old.read_bytes() == b"new"


def test_a_full_disk_is_a_write_error_and_leaves_the_old_file(old, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left on device"):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"
    assert alone(old)


def test_a_missing_folder_is_a_write_error(tmp_path):
    with pytest.raises(WriteError, match="No such file or directory"):
        write_bytes(tmp_path / "nowhere" / "out.csv", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file_is_a_write_error(old):
    with pytest.raises(WriteError, match="Not a directory"):
        write_bytes(old / "out.csv", b"new")
    assert alone(old)


def test_a_folder_in_the_place_of_the_file_is_a_write_error(tmp_path):
    target = tmp_path / "out.csv"
    target.mkdir()
    with pytest.raises(WriteError, match="a folder or a device"):
        write_bytes(target, b"new")
    assert alone(target)


@pytest.mark.parametrize("path", ["", ".", "/", "a\0b"])
def test_what_is_not_the_name_of_a_file_is_a_write_error(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WriteError):
        write_bytes(Path(path), b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_or_a_device_is_never_replaced(tmp_path):
    # A pipe stands for all that is no plain file: should this ever fail, no real device must be lost.
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="a folder or a device"):
        write_bytes(tmp_path / "pipe", b"new")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(as_root, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_a_write_error(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(WriteError, match="Permission denied"):
        write_bytes(folder / "out.csv", b"new")


def test_a_refusal_of_the_system_is_a_write_error(old, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(WriteError, match="Permission denied"):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"


def test_a_private_file_stays_private(old):
    old.chmod(0o600)
    write_bytes(old, b"new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o600


def test_a_new_file_can_be_asked_to_be_private(tmp_path):
    write_bytes(tmp_path / "secret", b"new", mode=0o600)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    target = tmp_path / ("ä" * 127)
    write_bytes(target, b"new")
    assert target.read_bytes() == b"new"
    assert alone(target)
