import dataclasses

import pytest

from understudy import synth
from understudy.cli.learning import Source, Wish, budget_of, learn, settings_of
from understudy.errors import BudgetError, CsvError, EncodingError, ParameterError, WhereError
from understudy.privacy import Budget


def test_settings_are_read_as_their_declared_kind():
    recipe = synth.get("gaussian_copula")
    assert settings_of(recipe, ["knots=12", "order_levels=FALSE"]) == {"knots": 12, "order_levels": False}


@pytest.mark.parametrize("texts", [["knots"], ["knots=1", "knots=2"], ["colour=red"], ["=3"]])
def test_a_setting_that_cannot_be_meant_is_refused(texts):
    with pytest.raises(ParameterError):
        settings_of(synth.get("histogram"), texts)


def test_two_options_make_a_budget():
    assert budget_of(None, None) is None
    assert budget_of(1.0, None) == Budget(epsilon=1.0)
    assert budget_of(1.0, 1e-6) == Budget(epsilon=1.0, delta=1e-6)


def test_a_delta_alone_is_no_budget():
    with pytest.raises(ParameterError, match="--epsilon"):
        budget_of(None, 1e-6)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_budget_is_refused(epsilon):
    with pytest.raises(BudgetError):
        budget_of(epsilon, None)


@pytest.mark.usefixtures("folder")
def test_a_recipe_without_a_private_form_refuses_the_budget():
    with pytest.raises(BudgetError):
        learn(Source("people.csv"), Wish("copy", budget=Budget(epsilon=1.0)))


@pytest.mark.usefixtures("folder")
def test_a_wrong_condition_is_found_before_the_fit(monkeypatch):
    monkeypatch.setattr(synth.get("histogram"), "fit", lambda *_, **__: pytest.fail("it was fitted"))
    with pytest.raises(WhereError):
        learn(Source("people.csv"), Wish("histogram"), ["sex=nobody"])


def test_advice_on_the_separator_is_an_option(folder):
    (folder / "half.csv").write_text("a;b\n1;2\n")
    with pytest.raises(CsvError, match="pass --delimiter ';', or quote the name") as refused:
        Source("half.csv").read()
    assert (refused.value.line, refused.value.column) == (1, 1)


def test_a_database_is_no_file_to_protect():
    assert Source("sqlite:///x.db?table=t").files() == []
    assert [path.name for path in Source("a/b.csv").files()] == ["b.csv"]


@pytest.mark.usefixtures("folder")
def test_with_a_budget_a_slip_in_a_condition_is_found_before_anything_is_paid(monkeypatch):
    monkeypatch.setattr(synth.get("histogram"), "fit", lambda *_, **__: pytest.fail("it was fitted"))
    budget = Budget(epsilon=1.0)
    for slip in ("height=3", "age=old", "member=maybe"):
        with pytest.raises(WhereError):
            learn(Source("people.csv"), Wish("histogram", budget=budget), [slip])


@pytest.mark.usefixtures("folder")
def test_without_a_budget_as_many_rows_are_made_as_were_read():
    learned = learn(Source("people.csv"), Wish("histogram"))
    assert (learned.rows(None), learned.rows(7)) == (60, 7)
    assert learned.size() == "60 rows, 8 columns"


@pytest.mark.usefixtures("folder")
def test_with_a_budget_the_number_of_rows_is_the_bought_one():
    learned = learn(Source("people.csv"), Wish("histogram", budget=Budget(epsilon=1.0), progress=False))
    assert learned.rows(None) == learned.model.sampler.rows
    assert learned.size() == "8 columns"


@pytest.mark.usefixtures("folder")
def test_a_method_that_bought_no_number_of_rows_asks_for_one():
    learned = learn(Source("people.csv"), Wish("copy", progress=False))
    with pytest.raises(ParameterError, match="--rows"):
        dataclasses.replace(learned, private=True).rows(None)


def test_an_encoding_is_asked_for_as_an_option(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("name\nJos\xe9\n".encode("latin-1") * 3)
    with pytest.raises(EncodingError, match=r"pass --encoding, for example --encoding cp1252\.$"):
        Source(str(path)).read()
