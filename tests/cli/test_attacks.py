"""understudy attacks: the list, what is found, the exit codes."""

import numpy as np
import pytest

import understudy as us
from understudy.cli.attacks import known_attacks

TRY = ("attacks", "--train", "train.csv", "--synthetic", "fake.csv", "--workers", "0")

ALL = (*TRY, "--holdout", "holdout.csv", "--reference", "reference.csv")


@pytest.fixture
def tables(folder):
    """Four tables of one law; the stand-in is a copy of the first."""
    rng = np.random.default_rng(0)
    cells = {name: rng.normal(size=(40, 4)).round(3) for name in ("train", "holdout", "reference")}
    for name, rows in {**cells, "fake": cells["train"]}.items():
        lines = ["a,b,c,d", *(",".join(map(str, row)) for row in rows.tolist())]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_every_attack_has_its_line(call):
    done = call("attacks")
    assert (done.code, done.err) == (0, "")
    for name in us.attacks.names():
        attack = us.attacks.get(name)
        assert f"{attack.title()} " in done.out
        assert attack.summary() in done.out


def test_json_lists_settings_and_what_the_adversary_sees(call):
    attacks = {attack["name"]: attack for attack in call("attacks", "--json").json["attacks"]}
    assert list(attacks) == us.attacks.names()
    assert attacks["dpi"]["sees"] == ["synthetic", "reference"]
    assert attacks["gan_leaks"]["sees"] == ["synthetic"]
    assert "sees" not in attacks["dcr"]
    assert {"k", "distance", "targets"} == {setting["name"] for setting in attacks["dpi"]["settings"]}


@pytest.mark.usefixtures("tables")
def test_a_copy_is_caught(call):
    words = (
        *TRY,
        "--holdout",
        "holdout.csv",
        "--reference",
        "reference.csv",
        "--only",
        "gan_leaks_calibrated",
    )
    (result,) = call(*words, "--seed", "3", "--json").json["results"]
    assert result["name"] == "privacy.gan_leaks_calibrated"
    assert result["value"] > 0.8
    done = call(*words)
    assert (done.code, done.err) == (0, "")
    assert "1 attack in " in done.out


@pytest.mark.usefixtures("tables")
def test_half_of_the_holdout_stands_for_a_reference(call):
    words = (*TRY, "--holdout", "holdout.csv", "--only", "gan_leaks_calibrated")
    (result,) = call(*words, "--json").json["results"]
    assert result["value"] > 0.7
    assert any("half of the holdout" in note for note in result["notes"])


@pytest.mark.usefixtures("tables")
def test_the_rows_at_risk_are_written_for_their_owner_alone(call, folder):
    (folder / "worst.csv").touch(mode=0o644)
    words = (*TRY, "--holdout", "holdout.csv", "--only", "gan_leaks", "--only", "closest_distance_l2")
    done = call(*words, "--worst", "worst.csv")
    assert (done.code, done.err) == (0, "")
    assert "worst.csv (confidential)" in done.out
    head, *lines = (folder / "worst.csv").read_text(encoding="utf-8").splitlines()
    assert head == "id,place,rank,attacks"
    assert len(lines) == 40  # a copy: all rows are equally near, and all others farther
    assert (folder / "worst.csv").stat().st_mode & 0o777 == 0o600
    assert call(*words, "--worst", "nowhere/worst.csv").code == 1
    done = call(*words, "--worst", "train.csv")
    assert done.code == 2 and "one of the inputs" in done.err
    assert (folder / "train.csv").read_text(encoding="utf-8").startswith("a,b,c,d")


@pytest.mark.usefixtures("tables")
def test_attacks_that_train_the_synthesizer_again_are_told_its_name_and_settings(call):
    words = (*ALL, "--only", "rmia", "--only", "ensemble", "--only", "mia")
    without = {found["name"]: found for found in call(*words, "--json").json["results"]}
    assert without["privacy.rmia"]["value"] is None and "recipe" in without["privacy.rmia"]["notes"][0]
    assert without["privacy.mia"]["parts"]["coverage"] == pytest.approx(3 / 5)
    done = call(*words, "--method", "histogram", "--set", "knots=4", "--json")
    assert (done.code, done.err) == (0, "")
    found = {each["name"]: each for each in done.json["results"]}
    assert all(0 <= each["value"] <= 1 for each in found.values())
    assert found["privacy.mia"]["parts"]["coverage"] == 1


@pytest.mark.usefixtures("tables")
def test_shadow_models_have_the_budget_that_is_given(call):
    private = ("--method", "histogram", "--epsilon", "2", "--delta", "1e-6")
    (found,) = call(*ALL, "--only", "rmia", *private, "--json").json["results"]
    assert any("within a budget of epsilon 2 at delta 1e-06" in note for note in found["notes"])
    done = call(*ALL, "--only", "rmia", "--method", "copy", "--epsilon", "2")
    assert done.code == 1 and "no private form" in done.out  # it could not be tried, and says why


@pytest.mark.usefixtures("tables")
def test_without_a_holdout_no_membership_is_tried_and_the_code_is_one(call):
    done = call(*TRY, "--only", "gan_leaks", "--json")
    assert done.code == 1
    assert "holdout" in done.json["results"][0]["notes"][0]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["attacks", "--train", "train.csv"], "--train and --synthetic belong together"),
        (["attacks", "--reference", "reference.csv"], "--reference belongs to --train and --synthetic"),
        (["attacks", "--seed", "0"], "--seed belongs to --train and --synthetic"),
        (["attacks", "--method", "copy"], "--method belongs to --train and --synthetic"),
        (["attacks", "--set", "knots=4"], "--set belongs to --train and --synthetic"),
        (["attacks", "--epsilon", "1"], "--epsilon belongs to --train and --synthetic"),
        ([*TRY, "--only", "nobody"], "there is no attack 'nobody'"),
        ([*TRY, "--method", "nobody"], "there is no synthesizer 'nobody'; choose from"),
        ([*TRY, "--method", "histogram", "--set", "nots=4"], "'nots'"),
        ([*TRY, "--method", "histogram", "--set", "knots"], "expected KEY=VALUE"),
        ([*TRY, "--method", "histogram", "--epsilon", "0"], "epsilon must be"),
        ([*TRY, "--method", "histogram", "--delta", "1e-6"], "--delta belongs to --epsilon"),
        ([*TRY, "--set", "knots=4"], "--set belongs to --method; name the synthesizer"),
        ([*TRY, "--epsilon", "1"], "--epsilon belongs to --method; name the synthesizer"),
        ([*TRY, "--level", "slow"], "level must be one of quick, standard, full"),
        ([*TRY, "--reference", "train.csv"], "train and reference"),
    ],
)
def test_bad_usage_and_bad_input_end_with_code_two(call, words, said):
    done = call(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_the_names_of_attacks_complete():
    assert known_attacks("gan_leaks_") == ["gan_leaks_calibrated"]


@pytest.mark.usefixtures("tables")
def test_real_tables_are_read_as_said_and_the_stand_in_as_it_was_written(call, folder):
    for name in ("train", "holdout", "reference"):
        text = (folder / f"{name}.csv").read_text(encoding="utf-8")
        (folder / f"{name}.csv").write_text(text.replace(",", ";"), encoding="utf-8")
    assert "pass --delimiter ';'" in call(*ALL, "--only", "identical_match").err
    (result,) = call(*ALL, "--only", "identical_match", "--delimiter", ";", "--json").json["results"]
    assert result["value"] == 1.0
    assert "--delimiter belongs to" in call("attacks", "--delimiter", ";").err
