"""Inference: tolerances, ties, naive guesses, copies; and that no guess is right for its sign."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.attacks.inference import Inference, right
from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

NAN = np.nan


@pytest.mark.parametrize(
    ("guess", "truth", "expected"),
    [
        (100, 105, True),
        (100, 106, False),
        (
            -100,
            500,
            False,
        ),  # anonymeter divides by the guess with its sign: every negative one is right there
        (-100, -105, True),
        (-105, -100, True),
        (-106, -100, False),
        (0.5, 0, False),
        (0, 0, True),
        (NAN, NAN, True),
        (NAN, 1, False),
        (1, NAN, False),
    ],
)
def test_a_quantity_is_right_within_a_share_of_the_truth(guess, truth, expected):
    found = right(np.array([guess]), np.array([truth]), np.abs(np.array([truth])), 0.05)
    assert found.tolist() == [expected]


def of_one(guess, truth, **settings):
    """One training row of which y is asked, one synthetic row that tells it; y ranges over 1000."""
    train = pd.DataFrame({"x": [0.5, 9.5, 9.25], "y": [truth, -500.25, 499.75]})
    synthetic = pd.DataFrame({"x": [0.5, 9.5, 9.25], "y": [guess, 9_999.5, 9_999.5]})
    found = Inference(secret="y", **settings)(Evidence(train=train, synthetic=synthetic))
    return found.parts["y.main_hits"]


def test_a_truth_of_nothing_has_a_tolerance_by_the_range():
    # A hundredth of the range of 1000, and 5 % of that: 0.5. Anonymeter asks for equality.
    assert of_one(0.25, 0.0) == of_one(-0.5, 0.0) == 1
    assert of_one(0.75, 0.0) == 0


def test_negative_guesses_are_not_right_for_their_sign():
    assert of_one(-100.0, 400.0) == 0
    assert of_one(-100.0, 400.0, tolerance=1.0) == 0


def test_times_are_right_within_a_share_of_their_range():
    # 5 % of the ticks since 1970 would be two years and a half.
    days = pd.to_datetime(["2020-01-01", "2020-04-10"])
    train = pd.DataFrame({"x": [0.5, 9.5], "t": days})
    for shift, hits in ((4, 2), (6, 0)):
        synthetic = pd.DataFrame({"x": [0.5, 9.5], "t": days + pd.Timedelta(days=shift)})
        found = Inference(secret="t")(Evidence(train=train, synthetic=synthetic))
        assert found.parts["t.main_hits"] == hits


def test_the_naive_guess_of_a_fair_coin_is_right_half_of_the_time():
    # In anonymeter 1.1.0 naive guesses are lost on the way, and it shows 0.145.
    rng = np.random.default_rng(0)
    tables = [
        pd.DataFrame({"x": rng.random(800), "coin": rng.choice(["heads", "tails"], 800)}) for _ in range(3)
    ]
    for table in tables:
        table.index = rng.permutation(10_000)[:800]
    train, holdout, synthetic = tables
    shown = Evidence(train=train, holdout=holdout, synthetic=synthetic)
    found = Inference(secret="coin")(shown)
    for run in ("main", "control", "naive"):
        assert found.parts[run] == pytest.approx(0.5, abs=0.06)
    assert found.low == 0


def judged(synthetic, seed=0, **settings):
    shown = Evidence(train=law(300, 1), holdout=law(300, 2), synthetic=synthetic)
    return Inference(**({"attacks": 300} | settings))(shown, seed=seed)


def test_a_copy_is_caught_a_fresh_table_is_not_and_half_a_copy_lies_between():
    half = pa.concat_tables([law(300, 1).slice(0, 150), law(150, 5)])
    copy, middle, fresh = (judged(table) for table in (law(300, 1), half, law(300, 4)))
    assert copy.low > 0.9
    assert copy.value > middle.low > fresh.high
    assert fresh.low == 0


def test_every_column_is_a_secret_unless_it_is_known():
    found = judged(law(300, 4))
    assert {name.removesuffix(".raw") for name in found.parts if name.endswith(".raw")} == {
        "dose", "rise", "visits", "ward", "well",
    }  # fmt: skip
    assert found.n == 5 * 300
    some = judged(law(300, 4), known="dose,ward")
    assert {"rise.raw", "visits.raw", "well.raw"} <= set(some.parts) and "dose.raw" not in some.parts


def test_a_list_of_secrets_gives_each_what_it_gets_alone():
    # A list broke anonymeter 1.0.0 (issue 32).
    both, alone = judged(law(300, 4), secret="ward,well"), judged(law(300, 4), secret="well")
    for part in ("well.main_hits", "well.control_hits"):
        assert both.parts[part] == alone.parts[part]


def test_equally_near_rows_vote_and_the_rows_order_is_nothing():
    rows = pd.DataFrame(
        {"x": [0.5] * 5 + [9.5], "s": ["a", "b", "b", "b", "a", "c"], "y": [1.5, 2, 7, 8, 9, 0.5]}
    )
    train = pd.DataFrame({"x": [0.5, 9.5], "s": ["b", "c"], "y": [7.0, 0.5]})
    for synthetic in (rows, rows.iloc[::-1]):
        found = Inference(known="x")(Evidence(train=train, synthetic=synthetic)).parts
        assert found["s.main_hits"] == found["y.main_hits"] == 2


def test_more_neighbours_are_asked_if_k_says_so():
    # LeakPro's port ignores the number of neighbours (its issue 356).
    rows = pd.DataFrame({"x": [0.5, 0.75, 0.875, 9.5, 9.25, 9.75], "s": ["a", "b", "b", "c", "c", "c"]})
    train = pd.DataFrame({"x": [0.5, 9.5], "s": ["b", "c"]})
    shown = Evidence(train=train, synthetic=rows)
    assert Inference(secret="s", k=1)(shown).parts["s.main_hits"] == 1
    assert Inference(secret="s", k=3)(shown).parts["s.main_hits"] == 2
    assert Inference(secret="s", k=9)(shown).parts["s.main_hits"] == 1  # all rows say c, to everybody


def test_missing_is_guessed_where_the_neighbours_miss_it():
    rows = pd.DataFrame({"x": [0.5, 0.5, 9.5, 9.5], "y": [NAN, NAN, NAN, 3.5], "s": [None, None, None, "a"]})
    train = pd.DataFrame({"x": [0.5, 9.5, 3.25], "y": [NAN, 3.5, 3.0], "s": [None, "a", "b"]})
    found = Inference(known="x")(Evidence(train=train.iloc[:2], holdout=train.iloc[2:], synthetic=rows))
    assert found.parts["y.main_hits"] == found.parts["s.main_hits"] == 2


@pytest.mark.parametrize("wrong", [{"secret": "age"}, {"secret": "dose", "known": "dose"}, {"known": "a,b"}])
def test_columns_that_are_not_there_or_both_secret_and_known_are_refused(wrong):
    with pytest.raises(ParameterError, match="inference"):
        judged(law(300, 4), **wrong)


def test_every_draw_comes_from_the_seed():
    one, same, other = (judged(law(300, 4), seed=seed, attacks=100) for seed in (1, 1, 2))
    assert one.parts == same.parts != other.parts
