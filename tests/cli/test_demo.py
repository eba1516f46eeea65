"""The demo: the whole line, every file of it, and nothing of anybody else's."""

import json

import pytest

import understudy as us
from study.stand_ins import few

__all__ = ["few"]

pytestmark = pytest.mark.usefixtures("few")
FILES = ("people.csv", "stand-in.csv", "stand-in.certificate.json", "private.csv", "private.certificate.json")
FILES += ("model", "audit/share.html", "audit/internal.html")


def test_the_demo_leaves_tables_stand_ins_certificates_a_model_and_a_report(call, folder):
    done = call("demo")
    assert (done.code, done.err) == (0, "")
    for name in FILES:
        assert f"demo/{name}" in done.out
        assert (folder / "demo" / name).exists()
    real, fake, private = (
        us.read(folder / "demo" / name) for name in ("people.csv", "stand-in.csv", "private.csv")
    )
    assert real.names == fake.names == private.names
    assert call("verify", "demo").code == 0
    tree = json.loads((folder / "demo" / "audit" / "results.json").read_text())
    assert {each["candidate"] for each in tree["results"]} == {"stand-in.csv", "private.csv"}
    assert call("sample", "demo/model", "-o", "more.csv", "--rows", "1000").code == 0


def test_the_demo_can_be_run_again_and_says_in_json_where_everything_is(call):
    assert call("demo").code == 0
    tree = json.loads(call("demo", "--json", "--seed", "1").out)
    assert tree["real"] == "demo/people.csv" and tree["report"] == "demo/audit/share.html"
    assert tree["status"] == "none" and set(tree["standings"]) == {"stand-in.csv", "private.csv"}


def test_the_demo_leaves_other_files_alone(call, folder):
    (folder / "d").mkdir()
    (folder / "d" / "mine.txt").write_text("mine")
    refused = call("demo", "-o", "d")
    assert refused.code == 2
    assert "'mine.txt'" in refused.err
    assert [entry.name for entry in (folder / "d").iterdir()] == ["mine.txt"]
