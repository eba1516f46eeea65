import numpy as np
import pytest

from engines.marginals.joint import joint_of
from understudy.engines.condition import Among
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured, estimate
from understudy.errors import NothingMatches
from understudy.model.cells import Cells
from understudy.model.tree_sampler import TreeSampler
from understudy.table.schema import Schema

SIZES = (3, 2, 3)


@pytest.fixture
def sampler():
    rng = np.random.default_rng(0)
    measured = [
        Measured((0, 1), 100 * rng.random((3, 2)), 1.0),
        Measured((1, 2), 100 * rng.random((2, 3)), 1.0),
    ]
    cells = {
        name: Cells.of(np.ones(size) / size, np.arange(size, dtype=np.int32))
        for name, size in zip("abc", SIZES, strict=True)
    }
    return TreeSampler(cells, estimate(measured, SIZES), 300)


def codes_of(columns):
    return [
        np.where(values < 0, size - 1, values) for values, size in zip(columns.values(), SIZES, strict=True)
    ]


def test_rows_follow_the_model(sampler):
    drawn = count(codes_of(sampler.draw(30_000, np.random.default_rng(1), {})), (0, 1, 2), SIZES)
    joint = joint_of(sampler.model)
    assert np.abs(drawn / drawn.sum() - joint / joint.sum()).max() < 0.01


def test_conditions_are_exact_also_on_columns_far_apart(sampler):
    only = Among(np.array([False, True, False]))
    drawn = codes_of(sampler.draw(30_000, np.random.default_rng(2), {"c": only}))
    assert (drawn[2] == 1).all()
    joint = joint_of(sampler.model)[:, :, 1]
    found = count(drawn, (0, 1), SIZES)
    assert np.abs(found / found.sum() - joint / joint.sum()).max() < 0.01


def test_a_condition_that_nothing_satisfies_is_refused(sampler):
    with pytest.raises(NothingMatches):
        sampler.draw(5, np.random.default_rng(0), {"a": Among(np.zeros(3, dtype=bool))})


def test_what_is_written_down_draws_the_same_rows(sampler):
    again = TreeSampler.restore(*sampler.state())
    first, second = (s.draw(200, np.random.default_rng(3), {}) for s in (sampler, again))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert again.rows == 300


def test_what_a_rule_rules_out_is_never_drawn_and_the_rest_is_the_model_given_the_rule(sampler):
    levels = {"a": ["p", "q"], "b": ["r"], "c": ["s", "t"]}
    columns = [
        {"name": name, "kind": "categorical", "type": "string", "levels": {"values": values}}
        for name, values in levels.items()
    ]
    schema = Schema.model_validate({"columns": columns, "rules": ["a == 'p' implies b is missing"]})
    drawn = count(
        codes_of(sampler.avoiding(schema).draw(30_000, np.random.default_rng(1), {})), (0, 1, 2), SIZES
    )
    joint = joint_of(sampler.model)
    joint[0, 0] = 0
    assert (drawn[0, 0] == 0).all()
    assert np.abs(drawn / drawn.sum() - joint / joint.sum()).max() < 0.01
