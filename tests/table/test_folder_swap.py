"""At every moment the old folder or the new one is there."""

import os

import pytest

from understudy.table import folder_swap
from understudy.table.folder_swap import put_in_place, recover
from understudy.table.staging import hidden_folder, hidden_name


@pytest.fixture(params=["exchange", "two steps"])
def either_way(request, monkeypatch):
    if request.param == "two steps":
        monkeypatch.setattr(folder_swap, "_exchange", lambda *_: False)


def make(path, word):
    path.mkdir()
    (path / "word").write_text(word, encoding="utf-8")


@pytest.fixture
def target(tmp_path):
    make(tmp_path / "m", "old")
    return tmp_path / "m"


def word(path):
    return (path / "word").read_text(encoding="utf-8")


@pytest.mark.usefixtures("either_way")
def test_a_new_folder_takes_the_place_of_an_old_one(target):
    with hidden_folder(target) as fresh:
        (fresh / "word").write_text("new", encoding="utf-8")
        put_in_place(fresh, target)
        assert word(target) == "new"
    assert os.listdir(target.parent) == ["m"]


def test_a_new_folder_takes_a_free_name(tmp_path):
    make(tmp_path / "fresh", "new")
    put_in_place(tmp_path / "fresh", tmp_path / "m")
    assert word(tmp_path / "m") == "new"


def test_a_folder_that_stood_aside_for_nothing_comes_back(target):
    target.rename(hidden_name(target, folder_swap.OLD))
    recover(target)
    assert word(target) == "old"
    assert os.listdir(target.parent) == ["m"]


def test_a_folder_whose_successor_is_there_is_removed(target):
    make(hidden_name(target, folder_swap.OLD), "older")
    recover(target)
    assert os.listdir(target.parent) == ["m"]
    assert word(target) == "old"


def test_nobody_brings_back_the_folder_of_a_process_at_work(target, tmp_path, monkeypatch):
    make(tmp_path / "fresh", "new")
    monkeypatch.setattr(folder_swap, "_exchange", lambda *_: False)
    rename, moved = os.rename, []

    def rename_and_look(source, goal):
        rename(source, goal)
        if not moved:
            moved.append(goal)
            recover(target)
            assert not target.exists()

    monkeypatch.setattr(os, "rename", rename_and_look)
    put_in_place(tmp_path / "fresh", target)
    assert word(target) == "new"
    assert os.listdir(tmp_path) == ["m"]


def test_a_refusal_of_the_system_is_not_taken_for_a_missing_call(target):
    with pytest.raises(OSError, match="No such file"):
        put_in_place(target.with_name("absent"), target)
    assert word(target) == "old"
