import json
import os

import pytest

import understudy as us
from cli import bad_usage


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory):
    """A folder with every file that the cases name; one for all, since none of them may change it."""
    folder = tmp_path_factory.mktemp("bad")
    bad_usage.lay_out(folder)
    us.synth.get("histogram")().fit(folder / "people.csv").save(folder / "model")
    us.read(folder / "people.csv").write(folder / "good.parquet")
    return folder


@pytest.fixture
def full(folder, laid_out, monkeypatch):
    """The working directory of every case; `folder` goes to its own first."""
    assert folder != laid_out
    monkeypatch.chdir(laid_out)
    return laid_out


def listing(folder):
    """Return every file below the folder with its content."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths} | {
        "folders": len(os.listdir(folder))
    }


def test_there_are_more_than_eighty_ways_to_be_wrong():
    assert len({tuple(words) for words, _ in bad_usage.CASES}) > 80


@pytest.mark.parametrize(
    ("words", "named"), bad_usage.CASES, ids=lambda part: " ".join(part) if isinstance(part, list) else ""
)
def test_bad_usage_ends_with_code_2_one_line_and_no_file(call, full, words, named):
    before = listing(full)
    done = call(*words)
    assert done.code == 2, (done.out, done.err)
    said = json.loads(done.out)["error"]["message"] if "--json" in words else done.err
    assert named in said
    assert "Traceback" not in said
    assert said.strip().count("\n") == 0
    assert "--json" in words or (
        done.out == "" and done.err.startswith("error: ") and done.err.endswith("\n")
    )
    assert listing(full) == before


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize(("words", "named"), bad_usage.VALUES[:8] + bad_usage.FILES[:8] + bad_usage.WHERE[:8])
def test_with_json_the_error_is_the_one_object_on_stdout(call, words, named):
    done = call(*words, "--json")
    assert done.code == 2
    assert done.err == ""
    error = done.json["error"]
    assert set(error) == {"type", "message", "exit_code"}
    assert named in error["message"]
