"""understudy metrics: the list, the verdict, the exit codes."""

import pytest

import understudy as us
from cli.people import table_text
from understudy.cli.metrics import known_measures

JUDGE = ("metrics", "--train", "people.csv", "--synthetic", "fake.csv", "--workers", "0")


@pytest.fixture
def fake(folder):
    """A stand-in beside people.csv: other rows of the same columns."""
    head, *rows = table_text().splitlines()
    (folder / "fake.csv").write_text("\n".join([head, *rows[5:45]]) + "\n", encoding="utf-8")


def test_every_measure_has_its_line(call):
    done = call("metrics")
    assert (done.code, done.err) == (0, "")
    for name in us.metrics.names():
        measure = us.metrics.get(name)
        assert f"{measure.title()} " in done.out
        assert measure.summary() in done.out


def test_json_lists_names_levels_and_settings(call):
    measures = {measure["name"]: measure for measure in call("metrics", "--json").json["metrics"]}
    assert list(measures) == us.metrics.names()
    assert measures["missingness"]["title"] == "fidelity.missingness"
    assert measures["missingness"]["level"] == "quick"
    assert {"name": "halves", "default": 20, "range": "a whole number from 4 to 100,000"} in measures[
        "missingness"
    ]["settings"]


@pytest.mark.usefixtures("fake")
def test_a_stand_in_is_judged_in_a_table(call):
    done = call(*JUDGE, "--only", "missingness", "--only", "shape_trend")
    assert (done.code, done.err) == (0, "")
    assert "fidelity.missingness" in done.out and "95 % interval" in done.out
    assert "2 measures in " in done.out


@pytest.mark.usefixtures("fake")
def test_json_holds_every_result(call):
    done = call(*JUDGE, "--only", "missingness", "--seed", "7", "--json")
    (result,) = done.json["results"]
    assert done.code == 0 and result["name"] == "fidelity.missingness"
    assert 0 <= result["low"] <= result["value"] <= result["high"] <= 1
    assert result["better"] == "lower" and done.json["seconds"] > 0


@pytest.mark.usefixtures("fake")
def test_processes_are_used_unless_told_otherwise(call):
    words = [word for word in JUDGE if word not in {"--workers", "0"}]
    assert call(*words, "--only", "missingness", "--json").json["results"][0]["value"] is not None


@pytest.mark.usefixtures("fake")
def test_a_table_that_no_measure_can_judge_ends_with_code_one(call, folder):
    head, *rows = table_text().splitlines()
    (folder / "fake.csv").write_text("\n".join([head, rows[0]]) + "\n", encoding="utf-8")
    done = call(*JUDGE, "--only", "tstr_auroc", "--json")
    assert done.code == 1
    assert done.json["results"][0]["value"] is None
    assert done.json["results"][0]["notes"]


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["metrics", "--train", "people.csv"], "--train and --synthetic belong together"),
        (["metrics", "--synthetic", "fake.csv"], "--train and --synthetic belong together"),
        (["metrics", "--target", "sex"], "--target belongs to --train and --synthetic"),
        (["metrics", "--only", "missingness"], "--only belongs to --train and --synthetic"),
        (["metrics", "--level", "foo"], "--level belongs to --train and --synthetic"),
        (["metrics", "--workers", "3"], "--workers belongs to --train and --synthetic"),
        (["metrics", "--workers", "0"], "--workers belongs to --train and --synthetic"),
        (["metrics", "--seed", "0"], "--seed belongs to --train and --synthetic"),
        ([*JUDGE, "--level", "slow"], "level must be one of quick, standard, full"),
        ([*JUDGE, "--level", "foo", "--only", "missingness"], "level must be one of quick, standard, full"),
        ([*JUDGE, "--only", "nobody"], "there is no measure 'nobody'"),
        ([*JUDGE, "--target", "nobody"], "no column that can be judged"),
        ([*JUDGE, "--holdout", "people.csv"], "train and holdout"),
        (["metrics", "--train", "none.csv", "--synthetic", "fake.csv"], "there is no file"),
    ],
)
def test_bad_usage_and_bad_input_end_with_code_two(call, words, said):
    done = call(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_the_names_of_measures_complete():
    assert known_measures("missi") == ["missingness"]


@pytest.mark.usefixtures("fake")
def test_real_tables_are_read_as_said_and_the_stand_in_as_it_was_written(call, folder):
    (folder / "people.csv").write_text(table_text().replace(",", ";"), encoding="utf-16")
    odd = ("--delimiter", ";", "--encoding", "utf-16", "--missing", "NA")
    assert call(*JUDGE, *odd, "--only", "missingness").code == 0
    assert "--encoding is for CSV files" in call(*JUDGE[:2], "x.parquet", *JUDGE[3:], *odd[2:]).err
    assert "--missing belongs to" in call("metrics", "--missing", "NA").err
