"""From words to terms, keys and budgets; what does not make sense is refused at once."""

import pytest

from understudy.cli.federating import Plan, called, keys_of, site_budget
from understudy.errors import InputError, ParameterError
from understudy.privacy import Budget
from understudy.table.infer import infer
from understudy.table.read import read


@pytest.fixture
def schema(folder):
    return infer(read(str(folder / "people.csv"))).declare()


def plan(*words, settings=(), **given):
    return Plan("findiff", settings, words, given)


def test_terms_are_what_was_said(schema):
    found = plan("clip=0.5", "weights=noisy", "least_answers=2", settings=["width=64"], rounds=3).terms(
        schema
    )
    assert (found.rounds, found.clip, found.weights, found.least_answers) == (3, 0.5, "noisy", 2)
    assert found.settings == {"width": 64}
    assert set(found.schema) == {column.name for column in schema.columns} - {"id"}


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("clip", "KEY=VALUE"),
        ("nonsense=1", "'nonsense' is not one of"),
        ("rounds=5", "'rounds' is not one of"),
        ("schema=x", "'schema' is not one of"),
        ("clip=much", "must be a number"),
        ("tries=1.5", "must be a number"),
        ("clip=-1", "clip must be"),
        ("weights=mine", "weights must be"),
    ],
)
def test_odd_terms_are_refused(schema, word, why):
    with pytest.raises(ParameterError, match=why):
        plan(word, rounds=3).terms(schema)


def test_a_term_is_said_once(schema):
    with pytest.raises(ParameterError, match="given twice"):
        plan("clip=1", "clip=2").terms(schema)


def test_keys_are_named_once_each():
    assert list(keys_of(["a=x.pub", "b=y.pub"])) == ["a", "b"]
    assert keys_of(None) == {}
    for texts, why in (
        (["a"], "NAME=FILE"),
        (["=x"], "NAME=FILE"),
        (["a="], "NAME=FILE"),
        (["a=x", "a=y"], "twice"),
    ):
        with pytest.raises(ParameterError, match=why):
            keys_of(texts)


def test_a_site_without_a_budget_must_say_so():
    assert site_budget(1.0, None, without=False) == Budget(epsilon=1.0)
    assert site_budget(None, None, without=True) is None
    for epsilon, without in ((None, False), (1.0, True)):
        with pytest.raises(InputError, match="--without-budget"):
            site_budget(epsilon, None, without=without)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("a/b/north.csv.gz", "north"),
        ("south west.parquet", "south-west"),
        ("b\u00fccher.csv", "bucher"),
        ("-\u5317.csv", "site"),
        (f"{'long' * 40}.csv", "long" * 16),
        ("postgresql://me:x@h/db?table=t", "db"),
    ],
)
def test_a_site_is_called_what_its_file_is(data, name):
    assert called(None, data) == name
    assert called("mine", data) == "mine"
