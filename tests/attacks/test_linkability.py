"""Linkability: known neighbours, ties, copies, and what the public code loses."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.attacks.linkability import Linkability, meet
from understudy.engines.neighbours.search import Ranked
from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


def found_at(rows, ranks=None):
    return Ranked(np.array(rows), np.arange(1, len(rows) + 1) if ranks is None else np.array(ranks))


def test_neighbours_that_meet_at_the_second_link_at_two_and_not_at_one():
    assert meet(found_at([3, 5]), found_at([5, 9])) == 2
    assert meet(found_at([3, 5]), found_at([3, 9])) == 1
    assert meet(found_at([3, 5]), found_at([4, 9])) == 0
    assert meet(found_at([3, 5, 7], [1, 1, 3]), found_at([5, 9, 3], [1, 1, 1])) == 1


def judged(synthetic, seed=0, **settings):
    shown = Evidence(train=law(300, 1), holdout=law(300, 2), synthetic=synthetic)
    return Linkability(**({"attacks": 300} | settings))(shown, seed=seed)


def test_a_copy_is_caught_a_fresh_table_is_not_and_half_a_copy_lies_between():
    half = pa.concat_tables([law(300, 1).slice(0, 150), law(150, 5)])
    copy, middle, fresh = (
        judged(table, first="dose,ward,well") for table in (law(300, 1), half, law(300, 4))
    )
    assert copy.low > 0.9
    assert copy.value > middle.low > fresh.high
    assert fresh.low == 0


def test_a_copy_is_linked_although_its_halves_have_many_equals():
    # One of many equal rows, picked for either half by its place, is seldom the same one for both.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (400, 8)).astype(str)
    table = pd.DataFrame(codes, columns=list("abcdefgh"))
    shown = Evidence(train=table.iloc[:200], holdout=table.iloc[200:], synthetic=table.iloc[:200])
    found = Linkability(first="a,b,c,d")(shown)
    assert found.parts["k=1.main_hits"] == 200
    assert found.low > 0.8


def test_smaller_k_follow_from_one_run_and_links_only_grow():
    found = judged(law(300, 4), k=8, splits=1).parts
    hits = [found[f"k={k}.main_hits"] for k in (1, 2, 4, 8)]
    assert hits == sorted(hits) and hits[-1] > hits[0]
    alone = judged(law(300, 4), k=2, splits=1).parts
    assert alone["k=2.main_hits"] == found["k=2.main_hits"]
    assert alone["raw"] == found["k=2.raw"]


def test_naive_links_are_as_frequent_as_chance_says():
    rng = np.random.default_rng(1)
    train, holdout, synthetic = (pd.DataFrame(rng.random((400, 2)), columns=["x", "y"]) for _ in range(3))
    shown = Evidence(train=train, holdout=holdout, synthetic=synthetic)
    found = Linkability(k=20, first="x")(shown).parts
    expected = 1 - (1 - 20 / 400) ** 20
    assert found["k=20.naive_hits"] / 400 == pytest.approx(expected, abs=0.08)


def test_targets_are_drawn_once_each_and_counted():
    found = judged(law(300, 4), attacks=1_000).parts
    assert found["k=1.main_guesses"] == found["k=1.control_guesses"] == 300
    assert judged(law(300, 4), attacks=50).n == 50


def test_a_table_smaller_than_k_lowers_k_and_says_so():
    found = judged(law(5, 4), k=9)
    assert found.parts["k=5.main_hits"] == 300  # all rows are neighbours of everybody
    assert any("k is 5" in note for note in found.notes)


def test_columns_may_be_chosen_for_either_side_and_must_differ():
    assert judged(law(300, 1), second="dose").n == 300
    assert judged(law(300, 1), first="dose", second="rise,visits").n == 300
    for wrong in (
        {"first": "dose", "second": "dose"},
        {"first": "age"},
        {"first": "dose,rise,visits,ward,well"},
    ):
        with pytest.raises(ParameterError, match="linkability"):
            judged(law(300, 1), **wrong)


def test_every_draw_comes_from_the_seed():
    one, same, other = (judged(law(300, 4), seed=seed, k=3) for seed in (1, 1, 2))
    assert one.parts == same.parts != other.parts
