import pytest

from understudy.measuring.evaluators import EVALUATORS, FAST
from understudy.measuring.search import OneOf, start


def test_there_are_the_eight_of_the_paper():
    names = [each.name for each in EVALUATORS]
    assert names == ["svm", "linear", "tree", "forest", "mlp", "xgboost", "catboost", "ft_transformer"]


def test_the_fast_ones_need_no_extra():
    assert all(not each.extra for each in EVALUATORS if each.name in FAST) and len(FAST) == 4


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda each: each.name)
@pytest.mark.parametrize("regression", [False, True])
def test_every_search_starts_inside_its_space(evaluator, regression):
    space = evaluator.space(regression=regression)
    for name, value in start(space).items():
        law = space[name]
        assert value in law.options if isinstance(law, OneOf) else law.low <= value <= law.high
        assert not getattr(law, "whole", False) or isinstance(value, int)
