"""understudy audit: what is written and said, the exit codes, and hostile questions."""

import json

import pytest

import understudy as us
from study.stand_ins import few, tables

__all__ = ["few"]

pytestmark = pytest.mark.usefixtures("few")
ASK = ("audit", "--train", "train.csv", "--holdout", "holdout.csv", "--level", "quick", "--workers", "0")


@pytest.fixture(autouse=True)
def files(folder):
    for kind in ("fresh", "copy"):
        shown = tables(kind)
        us.read(shown["synthetic"]).write(folder / f"{kind}.csv")
    for role in ("train", "holdout"):
        us.read(shown[role]).write(folder / f"{role}.csv")


def test_a_copy_is_refused_with_exit_code_3_and_reports_are_written(call, folder):
    done = call(*ASK, "--synthetic", "copy.csv", "-o", "audit")
    assert (done.code, done.err) == (3, "")
    assert "copy.csv: refused" in done.out and "membership" in done.out
    for name in ("share.html", "internal.html", "results.json", "manifest.json"):
        assert (folder / "audit" / name).is_file()
    assert call("verify", "audit").code == 0


def test_a_fresh_sample_is_not_refused_and_json_is_one_object(call):
    done = call(*ASK, "--synthetic", "fresh.csv", "-o", "audit", "--json")
    tree = json.loads(done.out)
    assert done.code == 0 and tree["standing"] != "refused"
    assert tree["report"] == "audit/share.html"
    assert {"name", "value", "low", "high", "null", "verdict"} <= set(tree["results"][0])
    assert tree["candidates"][0]["lines"]


def test_candidates_are_compared_and_one_that_passes_is_enough(call):
    done = call(*ASK, "--synthetic", "fresh.csv", "--synthetic", "copy.csv", "-o", "audit")
    assert done.code == 0
    assert "copy.csv: refused" in done.out


def test_a_policy_file_decides(call, folder):
    (folder / "p.toml").write_text('[[rule]]\nwhat = "epsilon"\nat_most = 1\n')
    assert call(*ASK, "--synthetic", "fresh.csv", "-o", "audit", "--policy", "p.toml").code == 3


def test_a_method_alone_is_rehearsed(call):
    done = call(
        "audit", "--train", "train.csv", "--method", "copy", "--level", "quick", "--workers", "0", "-o", "a"
    )
    assert done.code == 3 and "rehearsal" in done.out


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("-o", "audit"), "synthetic"),
        (("--synthetic", "fresh.csv", "-o", "train.csv"), "folder"),
        (("--synthetic", "fresh.csv", "-o", "a", "--set", "bins=3"), "--method"),
        (("--synthetic", "fresh.csv", "-o", "a", "--method", "absent"), "absent"),
        (("--synthetic", "absent.csv", "-o", "a"), "absent.csv"),
        (("--synthetic", "fresh.csv", "-o", "a", "--policy", "absent.toml"), "policy"),
        (("--synthetic", "fresh.csv", "-o", "a", "--target", "absent"), "target"),
        (
            ("--synthetic", "fresh.csv", "-o", "a", "--certificate", "a.json", "--certificate", "b.json"),
            "certificates",
        ),
    ],
)
def test_wrong_questions_are_refused_with_exit_code_2(call, more, word):
    done = call(*ASK, *more)
    assert done.code == 2
    assert word in done.err and done.err.count("\n") == 1


def test_a_copy_whose_formulas_were_guarded_is_still_a_copy(call, folder):
    cells = ["-", "+41", "=", "'=", "none"]
    rows = [f"{row * 37 % 100},{cells[row % 5]},{row % 7}" for row in range(240)]
    for name, part in (("sheet", rows[:120]), ("other", rows[120:])):
        (folder / f"{name}.csv").write_text("\n".join(["x,=code,y", *part]) + "\n")
    assert call("synthesize", "sheet.csv", "-o", "out.csv", "--method", "copy").code == 0
    words = ("audit", "--train", "sheet.csv", "--holdout", "other.csv", "--synthetic", "out.csv", "-o", "a")
    done = call(*words, "--level", "quick", "--workers", "0", "--json")
    scores = {result["name"]: result["value"] for result in done.json["results"]}
    assert scores["privacy.identical_match"] > 0.9


def test_real_tables_are_read_as_said_and_the_stand_in_as_it_was_written(call, folder):
    for name in ("train", "holdout"):
        text = (folder / f"{name}.csv").read_text()
        (folder / f"{name}.csv").write_text(text.replace(",", ";").replace("north", "N/A"))
    told = call(*ASK, "--synthetic", "copy.csv", "-o", "a")
    assert told.code == 2 and "--delimiter ';'" in told.err
    odd = ("--delimiter", ";", "--missing", "N/A")
    assert call(*ASK, "--synthetic", "copy.csv", *odd, "-o", "a", "--json").code in {0, 3}
