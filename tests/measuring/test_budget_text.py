"""A budget as text: every way to write one, and what is said of all others."""

import json

import pytest
from hypothesis import given, strategies as st

from understudy.errors import ParameterError
from understudy.measuring.budget_text import budget_in, budget_of, said_of, tree_of
from understudy.privacy.budget import Budget

BUDGETS = [
    ('{"epsilon": 1}', Budget(epsilon=1.0)),
    ('{"epsilon": 0.5, "delta": 1e-6}', Budget(epsilon=0.5, delta=1e-6)),
    ('{"gdp": 0.36}', Budget.gdp(0.36)),
    ('{"separation": 0.1}', Budget.separation(0.1)),
    ('{"zcdp": 0.05}', Budget.zcdp(0.05)),
    ('{"advantage": 0.2}', Budget.advantage(0.2)),
]


@pytest.mark.parametrize(("text", "budget"), BUDGETS)
def test_every_measure_can_be_written_and_read_again(text, budget):
    assert budget_of(text, "mds") == budget == budget_in(tree_of(budget), "mds")
    assert budget_of(json.dumps(tree_of(budget)), "mds") == budget


@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_text_is_no_budget(text):
    assert budget_of(text, "mds") is None


def test_ways_to_write_one_budget_are_one_tree():
    ways = ('{"epsilon": 1}', '{"epsilon": 1.0, "delta": 1e-9}', '{"delta": 0.000000001, "epsilon": 1}')
    assert len({json.dumps(tree_of(budget_of(way, "mds"))) for way in ways}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "epsilon=1",
        "1",
        "[1]",
        "{}",
        '"epsilon"',
        '{"delta": 1e-9}',
        '{"epsilon": 1, "gdp": 1}',
        '{"gdp": 0.5, "delta": 1e-9}',
        '{"gdp": 0.5, "zcdp": 0.5}',
        '{"mu": 0.5}',
        '{"epsilon": 1, "measure": "mu"}',
        '{"epsilon": 0}',
        '{"epsilon": -1}',
        '{"epsilon": "1"}',
        '{"epsilon": true}',
        '{"epsilon": null}',
        '{"epsilon": NaN}',
        '{"epsilon": Infinity}',
        '{"epsilon": [1]}',
        '{"epsilon": 1, "delta": 1}',
        '{"epsilon": 1, "delta": "small"}',
        '{"separation": 0.8}',
        '{"advantage": 1}',
        f'{{"epsilon": {"9" * 400}}}',
        f'{{"epsilon": {"9" * 5_000}}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_budget_is_refused_with_what_to_write(text):
    with pytest.raises(
        ParameterError, match=r'^mds: budget must be .*\{"epsilon": 1, "delta": 1e-9\}'
    ) as error:
        budget_of(text, "mds")
    assert all(word in str(error.value) for word in ("gdp", "separation", "zcdp", "advantage"))


words = st.sampled_from(["epsilon", "delta", "gdp", "mu", "separation", "zcdp", "advantage", "other"])
values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))


@given(st.one_of(st.text(), st.dictionaries(words, values, max_size=3).map(json.dumps)))
def test_any_text_is_a_budget_or_is_refused(text):
    try:
        budget = budget_of(text, "mds")
    except ParameterError:
        return
    assert budget is None or budget_in(tree_of(budget), "mds") == budget


def test_it_is_said_in_words():
    assert said_of(Budget(epsilon=2.5, delta=1e-6)) == "epsilon 2.5 at delta 1e-06"
    assert said_of(Budget.separation(0.1)) == "separation 0.1"


@pytest.mark.parametrize("text", ['{"epsilon": 1, "epsilon": 50}', '{"gdp": 1, "gdp": 9}'])
def test_a_word_that_is_there_twice_is_refused(text):
    with pytest.raises(ParameterError, match="twice"):
        budget_of(text, "mds")
