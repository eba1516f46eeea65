import pytest


def test_gaussian_synthesis_prints_both_bounds_of_paper_002(call):
    words = ["account", "gaussian-synthesis", "--n", "1000000", "--rows", "1000000", "--d", "6"]
    words += ["--sigma", "0.01", "--alpha", "4", "--delta", "1e-5"]
    done = call(*words, "--json")
    assert done.code == 0
    assert round(done.json["unbounded"]["all_rows"], 4) == 5.8064
    assert round(done.json["bounded"]["all_rows"], 4) == 23.3577
    assert round(done.json["unbounded"]["epsilon"], 3) == 9.644
    assert round(done.json["bounded"]["epsilon"], 3) == 27.195
    told = call(*words).out
    assert "unbounded per row" in told and "bounded epsilon" in told and "9.644" in told


def test_the_rows_drawn_are_as_many_as_there_were_unless_said_otherwise(call):
    done = call("account", "gaussian-synthesis", "--n", "1000", "--d", "2", "--sigma", "0.5", "--json")
    assert done.json["rows"] == 1_000


def test_what_has_no_bound_is_null_in_json_and_said_in_words(call):
    words = ["account", "gaussian-synthesis", "--n", "100", "--d", "6", "--sigma", "0.01"]
    assert call(*words, "--json").json["unbounded"]["epsilon"] is None
    assert "no bound" in call(*words).out


def test_gaussian_noise_is_priced_exactly(call):
    done = call("account", "gaussian", "--noise", "2", "--count", "4", "--delta", "1e-5", "--json")
    assert done.json["epsilon"] == pytest.approx(4.3772, abs=1e-4)


def test_steps_take_a_rate_or_a_batch(call):
    by_rate = call("account", "steps", "--noise", "1", "--rate", "0.01", "--steps", "100", "--json")
    by_batch = call(
        "account", "steps", "--noise", "1", "--batch", "10", "--rows", "1000", "--epochs", "1", "--json"
    )
    assert by_rate.json == by_batch.json
    assert "approximation" in call("account", "steps", "--noise", "1", "--rate", "0.01", "--steps", "5").out


def test_calibrate_gives_the_noise(call):
    done = call("account", "calibrate", "--epsilon", "1", "--delta", "1e-5", "--json")
    assert done.json["noise"] == pytest.approx(3.7306, rel=2e-3)


def test_convert_knows_the_separation_of_paper_000(call):
    done = call("account", "convert", "--separation", "0.1", "--json")
    assert round(done.json["gaussian"]["mu"], 6) == 0.356368


def test_paper_000_says_that_its_noise_and_its_separation_do_not_go_together(call):
    done = call("account", "paper-000", "--sigma", "0.2", "--separation", "0.1")
    assert done.code == 0
    assert "not possible" in done.out
    assert call("account", "paper-000", "--json").json["possible"] is False


def test_without_a_question_the_questions_are_listed(call):
    assert call("account").out == call("account", "--help").out
    done = call("account")
    assert done.code == 0
    for name in ("gaussian-synthesis", "gaussian", "steps", "calibrate", "convert", "paper-000"):
        assert name in done.out
