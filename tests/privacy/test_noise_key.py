"""A key is kept for the owner, found only where it was kept, and gone when it is destroyed."""

from __future__ import annotations

import os
import shutil

import pytest

from understudy.errors import WriteError
from understudy.privacy import noise_key

KEY = bytes(range(32))


def test_a_key_is_found_again_by_its_name(tmp_path):
    name = noise_key.keep(tmp_path, KEY)
    assert noise_key.find(tmp_path, name) == KEY
    (place,) = tmp_path.iterdir()
    assert place.stat().st_mode & 0o777 == 0o600
    assert KEY.hex() not in name and str(place.name).startswith("noise-")


def test_a_key_that_was_altered_copied_or_destroyed_is_not_found(tmp_path):
    name = noise_key.keep(tmp_path, KEY)
    (place,) = tmp_path.iterdir()
    shutil.copy(place, tmp_path / "aside")
    os.replace(tmp_path / "aside", place)
    assert noise_key.find(tmp_path, name) is None
    place.write_bytes(KEY[::-1])
    assert noise_key.find(tmp_path, name) is None
    noise_key.destroy(tmp_path, name)
    assert noise_key.find(tmp_path, name) is None
    noise_key.destroy(tmp_path, name)


def test_a_sweep_removes_keys_that_nobody_waits_for_and_nothing_else(tmp_path):
    kept, lost = noise_key.keep(tmp_path, KEY), noise_key.keep(tmp_path, KEY[::-1])
    (tmp_path / "mine.key").write_text("not a noise key")
    noise_key.sweep(tmp_path, [kept])
    assert noise_key.find(tmp_path, kept) == KEY
    assert noise_key.find(tmp_path, lost) is None
    assert (tmp_path / "mine.key").exists()


def test_a_folder_that_is_not_there_is_a_typed_error(tmp_path):
    with pytest.raises(WriteError, match="cannot keep a noise key"):
        noise_key.keep(tmp_path / "gone", KEY)
