"""Holes in, none out; what was there is as it was, and no certificate claims more."""

from functools import partial

import pytest

import understudy as us
from model.toy_generator import ToyRecipe, known_to_files
from understudy import synth


@pytest.fixture
def filling(folder, monkeypatch):
    """A saved model that can fill cells, of a method that is in no registry."""
    known_to_files(monkeypatch)
    ToyRecipe().fit(str(folder / "people.csv"), progress=False).save(folder / "filling")
    monkeypatch.setattr(synth, "load", partial(synth.load, recipe=ToyRecipe))
    return folder / "filling"


def test_holes_are_filled_and_all_other_cells_kept(call, folder, filling):
    done = call("impute", filling, "people.csv", "-o", "whole.csv")
    assert (done.code, done.err) == (0, "")
    before, after = (us.read(folder / name).to_arrow() for name in ("people.csv", "whole.csv"))
    assert before["income"].null_count > 0 and after["income"].null_count == 0
    pairs = zip(before["income"].to_pylist(), after["income"].to_pylist(), strict=True)
    assert all(old == new for old, new in pairs if old is not None)
    assert before.drop(["income"]).equals(after.drop(["income"]))
    assert "no certificate" in done.out
    assert not list(folder.glob("*.certificate.json"))


def test_json_is_one_object_and_a_seed_counts(call, folder, filling):
    done = call("impute", filling, "people.csv", "-o", "a.csv", "--seed", "3", "--json")
    assert (done.json["rows"], done.json["filled"], done.json["seed"]) == (60, 9, 3)
    call("impute", filling, "people.csv", "-o", "b.csv", "--seed", "3")
    call("impute", filling, "people.csv", "-o", "c.csv", "--seed", "4")
    a, b, c = ((folder / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b != c


def test_a_file_that_is_there_is_not_replaced_unless_forced(call, folder, filling):
    (folder / "mine.csv").write_text("x\n1\n")
    assert call("impute", filling, "people.csv", "-o", "mine.csv").code == 2
    assert call("impute", filling, "people.csv", "-o", "people.csv", "--force").code == 2
    assert call("impute", filling, "people.csv", "-o", "mine.csv", "--force").code == 0


def test_a_stand_in_with_a_certificate_is_not_replaced(call, model, filling):
    call("synthesize", "people.csv", "-o", "out.csv", "--method", "histogram")
    refused = call("impute", filling, "people.csv", "-o", "out.csv")
    assert refused.code == 2 and "exists" in refused.err
    assert model.exists()


def test_a_method_that_cannot_fill_cells_says_which_can(call, folder, model):
    refused = call("impute", model, "people.csv", "-o", "out.csv")
    assert refused.code == 2 and "tabddpm" in refused.err
    assert not (folder / "out.csv").exists()
