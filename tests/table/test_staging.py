"""Leftovers of the dead are taken away, the work of the living is not."""

import os
import subprocess
import sys

import pytest

from understudy.table import staging
from understudy.table.staging import (
    abandoned,
    hidden_file,
    hidden_folder,
    hidden_name,
    lock,
    neighbours,
    remove,
    sweep,
)


@pytest.fixture
def target(tmp_path):
    return tmp_path / "out.csv"


def test_a_hidden_file_is_gone_at_the_end(target):
    with hidden_file(target, 0o600) as (place, descriptor):
        os.write(descriptor, b"x")
        assert neighbours(target) == [place]
        assert place.name.startswith(".")
    assert os.listdir(target.parent) == []


def test_a_hidden_folder_is_gone_at_the_end_of_a_crash_too(target):
    def crash():
        with hidden_folder(target) as place:
            (place / "x").touch()
            place.chmod(0o500)
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        crash()
    assert os.listdir(target.parent) == []


def test_a_hidden_name_is_short_for_any_target(tmp_path):
    assert len(hidden_name(tmp_path / ("x" * 255)).name) < 40


def test_what_a_living_process_works_on_is_left_alone(target):
    with hidden_file(target, 0o600) as (place, _), hidden_folder(target) as folder:
        sweep(target)
        assert neighbours(target) == sorted([place, folder])


def test_what_another_living_process_works_on_is_left_alone(target):
    code = (
        "import sys, pathlib; from understudy.table.staging import hidden_folder\n"
        "with hidden_folder(pathlib.Path(sys.argv[1])): print('ready', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout.readline() == b"ready\n"
        sweep(target)
        assert len(neighbours(target)) == 1
        other.kill()
        other.wait()
        sweep(target)
        assert neighbours(target) == []


def test_leftovers_are_taken_away_by_the_next_write_to_the_same_target_only(target):
    left, folder = hidden_name(target), hidden_name(target)
    left.touch()
    folder.mkdir()
    (folder / "x").touch()
    with hidden_file(target.with_name("other.csv"), 0o600):
        assert sorted([left, folder]) == neighbours(target)
    with hidden_file(target, 0o600) as (place, _):
        assert neighbours(target) == [place]


def test_a_link_in_the_place_of_a_leftover_is_never_followed(target, tmp_path):
    (tmp_path / "precious").touch()
    hidden_name(target).symlink_to(tmp_path / "precious")
    sweep(target)
    assert (tmp_path / "precious").exists()


def test_without_locks_nothing_is_taken_for_abandoned(target, monkeypatch):
    left = hidden_name(target)
    left.touch()
    monkeypatch.setattr(staging, "lock", lambda _: None)
    with abandoned(left) as free:
        assert not free
    with hidden_file(target, 0o600):
        assert left.exists()


def test_a_neighbour_that_a_sweep_took_before_it_was_locked_is_made_again(target, monkeypatch):
    made = []

    def swept(descriptor, real=lock):
        if not made:
            made.append(neighbours(target)[0])
            remove(made[0])
        return real(descriptor)

    monkeypatch.setattr(staging, "lock", swept)
    with hidden_file(target, 0o600) as (place, _):
        assert place.exists()
        assert place != made[0]


def test_a_folder_that_is_not_there_has_no_neighbours(tmp_path):
    assert neighbours(tmp_path / "absent" / "x") == []
    with abandoned(tmp_path / "absent") as free:
        assert not free
