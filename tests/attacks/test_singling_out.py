"""Singling out: copies are caught, fresh tables are not, and no bug of the first public code is here."""

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.attacks.singling_out import SinglingOut
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


def judged(synthetic, seed=0, holdout=300, **settings):
    shown = Evidence(train=law(300, 1), holdout=law(holdout, 2), synthetic=synthetic)
    return SinglingOut(**({"attacks": 200} | settings))(shown, seed=seed)


def test_a_copy_is_caught_a_fresh_table_is_not_and_half_a_copy_lies_between():
    half = pa.concat_tables([law(300, 1).slice(0, 150), law(150, 5)])
    copy, middle, fresh = (judged(table) for table in (law(300, 1), half, law(300, 4)))
    assert copy.low > 0.9
    assert copy.value > middle.value > fresh.value
    assert middle.low > 0.1
    assert fresh.low == 0 == fresh.null


@pytest.mark.parametrize("holdout", [100, 300, 600])
def test_the_interval_of_a_fresh_table_holds_nothing_whatever_the_size_of_the_holdout(holdout):
    covered = []
    for seed in range(30):
        tables = {"train": law(300, 4 * seed + 50), "holdout": law(holdout, 4 * seed + 51)}
        found = SinglingOut(attacks=100)(Evidence(**tables, synthetic=law(300, 4 * seed + 52)), seed=seed)
        covered.append(found.low <= 0)
    assert sum(covered) >= 26


def test_a_holdout_that_is_much_smaller_raises_no_alarm_and_still_shows_copies():
    # Columns of many values, as those of Adult: what matches none of 40 rows may match one of 3,000 or none.
    def table(rows, seed):
        rng = np.random.default_rng(seed)
        heavy = np.round(np.exp(rng.normal(6, 2, (rows, 2))))
        return pd.DataFrame({"x": heavy[:, 0], "y": heavy[:, 1], "kind": rng.choice(list("abc"), rows)})

    def risk(seed, synthetic):
        shown = Evidence(train=table(3_000, seed), holdout=table(40, seed + 1), synthetic=synthetic)
        return SinglingOut(attacks=300)(shown, seed=seed)

    assert [risk(seed, table(3_000, seed + 2)).low for seed in range(0, 50, 5)] == [0.0] * 10
    assert risk(0, table(3_000, 0)).low > 0.9


def test_guesses_that_were_made_are_the_denominator():
    # Anonymeter divides by the wanted number, which hides the risk where few predicates exist (LeakPro #182).
    found = judged(law(300, 1), attacks=5_000, mode="univariate")
    assert found.parts["univariate.main_guesses"] < 2_000
    assert found.value > 0.9
    assert any("wanted predicates were found" in note for note in found.notes)


def test_a_table_whose_predicates_run_dry_ends_at_once():
    few = pd.DataFrame({"s": list("aabbccdd") * 5, "t": list("abcdefgh") * 5})
    start = time.process_time()
    found = SinglingOut(attacks=100_000)(Evidence(train=few, synthetic=few))
    assert found.n < 100
    assert time.process_time() - start < 5


def test_names_of_columns_may_be_anything_and_times_are_asked_for_too():
    # Query strings fail at such names; "==" on times was built empty.
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(200), unit="D")
    table = pd.DataFrame(
        {"a (b) [c]": rng.random(200), "== `x` &": days, "c, d": rng.choice(list("ab"), 200)}
    )
    train, synthetic = table.iloc[:100], table.iloc[:100]
    found = SinglingOut(attacks=1_000, mode="univariate")(
        Evidence(train=train, holdout=table.iloc[100:], synthetic=synthetic)
    )
    assert found.parts["univariate.main_guesses"] == 2 * (100 + 2)
    assert found.low > 0.9


def test_twins_of_the_training_table_are_not_singled_out_by_what_they_share():
    rng = np.random.default_rng(0)
    values = rng.random((50, 3))
    twice, once = (pd.DataFrame(np.repeat(values, times, axis=0), columns=list("xyz")) for times in (2, 1))
    found = SinglingOut(attacks=100)(Evidence(train=twice, synthetic=once))
    assert found.parts["multivariate.main_hits"] == found.parts["univariate.main_hits"] == 0


def test_a_synthetic_table_that_holds_every_row_twice_is_caught_as_well():
    assert judged(pa.concat_tables([law(300, 1), law(300, 1)])).low > 0.9


def test_the_size_correction_scales_successes():
    # Anonymeter 1.1.0 counts queries instead, so that its correction is none.
    small = judged(law(300, 4), holdout=100)
    assert any("carried on" in note for note in small.notes)
    assert (
        small.parts["control"]
        > 1.2 * (small.parts["univariate.control"] + small.parts["multivariate.control"]) / 2
    )


def test_every_draw_comes_from_the_seed():
    one, same, other = (judged(law(300, 4), seed=seed) for seed in (1, 1, 2))
    assert one.parts == same.parts != other.parts


def test_a_mode_may_be_chosen_and_more_columns_than_there_are_become_all_of_them():
    found = judged(law(300, 4), mode="multivariate", n_cols=9)
    assert "univariate.main" not in found.parts
    assert found.parts["multivariate.main_guesses"] > 0
