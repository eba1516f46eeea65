import json

import understudy as us


def test_the_demo_leaves_a_table_its_stand_in_a_certificate_and_a_model(call, folder):
    done = call("demo")
    assert (done.code, done.err) == (0, "")
    for name in ("people.csv", "stand-in.csv", "stand-in.certificate.json", "model"):
        assert f"demo/{name}" in done.out
        assert (folder / "demo" / name).exists()
    assert us.read(folder / "demo" / "stand-in.csv").names == us.read(folder / "demo" / "people.csv").names
    assert call("verify", "demo").code == 0


def test_the_demo_can_be_run_again(call):
    assert call("demo", "-o", "d").code == 0
    assert call("demo", "-o", "d", "--seed", "1").code == 0


def test_the_demo_leaves_other_files_alone(call, folder):
    (folder / "d").mkdir()
    (folder / "d" / "mine.txt").write_text("mine")
    refused = call("demo", "-o", "d")
    assert refused.code == 2
    assert "'mine.txt'" in refused.err
    assert [entry.name for entry in (folder / "d").iterdir()] == ["mine.txt"]


def test_what_the_demo_offers_next_works(call):
    call("demo")
    assert call("sample", "demo/model", "-o", "more.csv", "--rows", "1000").code == 0


def test_json_says_where_everything_is(call):
    tree = json.loads(call("demo", "--json").out)
    assert tree["real"] == "demo/people.csv"
    assert tree["status"] == "none"
