"""Rows, not only tables: what is drawn keeps to the model's tables."""

import numpy as np
import pytest

from engines.marginals.joint import joint_of, marginal_of, random_model
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.generate import draw_rows, systematic


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_a_clique_match_its_table_up_to_a_row_per_shared_cell(seed):
    model = random_model(seed)
    rows = 10_000
    codes = draw_rows(model, rows, np.random.default_rng(seed))
    for of, table in zip(model.tree.cliques, model.marginals, strict=True):
        drawn = count(codes, of, model.sizes)
        # Independent draws would be off by about sqrt(count); systematic ones by a row or two per cell.
        assert np.abs(drawn - table * rows / model.total).max() <= 2 * len(model.sizes) + 2


def test_pairs_that_no_clique_holds_follow_the_model_too():
    model = next(m for m in map(random_model, range(100)) if len(m.tree.cliques) > 2 and len(m.sizes) > 3)
    codes = draw_rows(model, 40_000, np.random.default_rng(1))
    joint = joint_of(model) / model.total
    for first in range(len(model.sizes)):
        for second in range(first + 1, len(model.sizes)):
            gap = count(codes, (first, second), model.sizes) / 40_000 - marginal_of(joint, (first, second))
            assert np.abs(gap).max() < 0.015


def test_every_row_has_its_expected_chance():
    # One row at a time nothing is systematic: the draw must be the plain law.
    given = np.array([[0.1, 0.2, 0.7]])
    rng = np.random.default_rng(0)
    drawn = [int(systematic(given, np.zeros(1, dtype=np.int64), rng)[0]) for _ in range(5_000)]
    shares = np.bincount(drawn, minlength=3) / 5_000
    assert np.abs(shares - given[0]).max() < 0.03  # more than four standard errors


def test_rows_of_one_group_come_in_no_order():
    given = np.array([[0.5, 0.5]])
    chosen = systematic(given, np.zeros(10_000, dtype=np.int64), np.random.default_rng(2))
    changes = int((chosen[1:] != chosen[:-1]).sum())
    assert abs(changes - 5_000) < 5 * 50


def test_a_group_that_the_model_rules_out_takes_the_overall_shares():
    given = np.array([[0.0, 0.0], [3.0, 1.0]])
    chosen = systematic(given, np.zeros(400, dtype=np.int64), np.random.default_rng(3))
    assert np.bincount(chosen).tolist() == [300, 100]


def test_no_rows_are_no_rows():
    codes = draw_rows(random_model(3), 0, np.random.default_rng(0))
    assert all(len(code) == 0 for code in codes)
