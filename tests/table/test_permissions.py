"""A new file has no more readers than the one it replaces."""

import os
import stat

import pytest

from understudy.table.permissions import narrow, take_after


@pytest.fixture
def pair(tmp_path):
    for name in ("old", "new"):
        (tmp_path / name).touch(mode=0o644)
    return tmp_path / "old", tmp_path / "new"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("wanted", [0o600, 0o640, 0o666, 0o444])
def test_a_new_file_takes_the_permissions_of_the_old_one(pair, wanted):
    old, new = pair
    old.chmod(wanted)
    take_after(new, old.stat())
    assert mode(new) == wanted


def test_only_what_both_allow_is_left(pair):
    old, new = pair
    old.chmod(0o640)
    new.chmod(0o604)
    narrow(new, old.stat())
    assert mode(new) == 0o600


def of_another_group(path):
    found = list(path.stat())
    found[stat.ST_GID] += 1
    return os.stat_result(found)


def test_where_the_group_cannot_be_kept_no_group_may_read(pair, monkeypatch):
    old, new = pair
    old.chmod(0o640)

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    take_after(new, of_another_group(old))
    assert mode(new) == 0o600


def test_the_group_is_kept_where_that_is_allowed(pair, monkeypatch):
    old, new = pair
    old.chmod(0o640)
    calls = []
    monkeypatch.setattr(os, "chown", lambda *call: calls.append(call))
    take_after(new, of_another_group(old))
    assert calls == [(new, -1, old.stat().st_gid + 1)]
    assert mode(new) == 0o640


def test_what_another_group_might_read_is_not_narrowed_to_ours(pair):
    old, new = pair
    narrow(new, of_another_group(old))
    assert mode(new) == 0o604
