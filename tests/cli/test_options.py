from understudy import synth
from understudy.cli import options
from understudy.model import model


def test_the_most_rows_are_those_that_a_model_gives():
    assert options.MOST_ROWS == model.MOST_ROWS


def test_method_names_complete():
    assert options.known_methods("") == synth.names()
    assert options.known_methods("gau") == ["gaussian", "gaussian_copula"]
    assert options.known_methods("x") == []


def test_no_seed_is_said_to_give_the_same_rows_within_a_budget(call):
    for command in ("synthesize", "fit", "demo"):
        assert "not within a budget" in " ".join(call(command, "--help").out.split())
    site = " ".join(call("federate", "site", "--help").out.split())
    assert "belongs to --budget" in site and "belongs to --epsilon" not in site
