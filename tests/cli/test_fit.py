import os

import understudy as us


def test_a_model_folder_is_written_and_loads(call, folder):
    done = call("fit", "people.csv", "-o", "model/", "--method", "histogram", "--set", "knots=9")
    assert (done.code, done.err) == (0, "")
    model = us.load(folder / "model")
    assert (model.recipe, model.settings) == ("histogram", {"knots": 9})
    assert sorted(os.listdir(folder)) == ["model", "people.csv"]


def test_the_choice_is_printed_with_its_reason(call):
    assert us.synth.choose(60, 8, None)[1] in call("fit", "people.csv", "-o", "model").out


def test_json_says_where_the_model_is_and_what_it_reveals(call):
    done = call("fit", "people.csv", "-o", "model", "--json")
    assert done.json["model"] == "model"
    assert done.json["status"] == "none"
    assert done.json["rows"] == 60


def test_an_earlier_model_is_replaced(call, model):
    assert call("fit", "people.csv", "-o", model, "--method", "copy").code == 0
    assert us.load(model).recipe == "copy"


def test_a_folder_with_anything_else_in_it_is_left_alone(call, model):
    (model / "notes.txt").write_text("mine")
    refused = call("fit", "people.csv", "-o", model)
    assert refused.code == 2
    assert "'notes.txt'" in refused.err
    assert (model / "notes.txt").read_text() == "mine"


def test_a_fit_then_a_sample_is_a_synthesis(call, folder):
    call("synthesize", "people.csv", "-o", "direct.csv", "--seed", "5", "--rows", "30")
    call("fit", "people.csv", "-o", "model", "--seed", "5")
    call("sample", "model", "-o", "later.csv", "--seed", "5", "--rows", "30")
    assert (folder / "direct.csv").read_bytes() == (folder / "later.csv").read_bytes()


def test_within_a_budget_the_model_is_sound_and_its_rows_are_bought(call, folder):
    done = call("fit", "people.csv", "-o", "model", "--epsilon", "1", "--delta", "1e-6", "--json")
    assert (done.code, done.json["status"]) == (0, "sound")
    assert done.json["rows"] == us.load(folder / "model").sampler.rows
    assert done.json["epsilon"] <= 1.0
    assert "id" in done.json["no_level_told"]


def test_a_model_that_holds_secrets_comes_with_a_warning(call, folder):
    (folder / "x.csv").write_text("x\n" + "".join(f"{row / 10}\n" for row in range(5_000)))
    words = ["--method", "gaussian", "--set", "form=paper", "--set", "at_least=5000"]
    done = call("fit", "x.csv", "-o", "m", *words)
    assert done.code == 0
    assert "keep the model folder itself as private as the table" in done.out
