"""Records on top of attacks, and what attacks agree on."""

import numpy as np
import pyarrow as pa
import pytest

from understudy import attacks
from understudy.errors import ParameterError
from understudy.measuring.at_risk import agreement, records_at_risk, top
from understudy.measuring.record_id import record_ids
from understudy.result import Result
from understudy.table.evidence import Evidence


def found(name, scores, low=0.6):
    return Result(f"privacy.{name}", 0.7, low, 0.8, 0.5, "lower", True, per_record=tuple(scores))


def evidence(rows):
    table = pa.table({"a": np.arange(rows, dtype=float)})
    return Evidence(train=table, synthetic=table)


def test_what_most_attacks_point_at_comes_first():
    scores = np.arange(100.0)
    one, two = found("one", scores), found("two", np.where(scores == 98, 1000.0, scores))
    records = records_at_risk([one, two], evidence(100), share=0.02)
    assert [(record.place, len(record.attacks)) for record in records] == [(99, 2), (98, 2)]
    assert records[0].rank == pytest.approx((0.995 + 0.985) / 2)
    lone = records_at_risk([one, found("other", scores[::-1])], evidence(100), share=0.01)
    assert {(record.place, record.attacks) for record in lone} == {
        (99, ("privacy.one",)),
        (0, ("privacy.other",)),
    }


def test_ids_are_those_of_the_rows_in_any_order():
    table = pa.table({"a": [5.0, 6.0, 7.0, 8.0]})
    backwards = table.take([3, 2, 1, 0])
    forth = records_at_risk([found("x", (1, 2, 3, 9))], Evidence(train=table, synthetic=table), 0.25)
    back = records_at_risk([found("x", (9, 3, 2, 1))], Evidence(train=backwards, synthetic=table), 0.25)
    assert [record.id for record in forth] == [record.id for record in back] == record_ids(table)[3:]
    assert (forth[0].place, back[0].place) == (3, 0)


def test_all_that_tie_with_the_last_are_on_top_and_those_that_tie_with_all_are_not():
    assert top(np.array([0.0, 1.0, 1.0, 1.0]), 0.01).tolist() == [False, True, True, True]
    assert not top(np.ones(5), 0.5).any()
    assert not top(np.full(3, np.nan), 0.5).any()
    assert top(np.array([-np.inf, 0.0, np.inf]), 0.3).tolist() == [False, False, True]


def test_rows_that_were_no_targets_are_never_at_risk_and_count_for_nothing():
    scores = np.array([np.nan, 3.0, 1.0, np.nan, 2.0])
    assert [record.place for record in records_at_risk([found("x", scores)], evidence(5), 0.3)] == [1]


def test_results_without_scores_per_record_are_passed_over():
    none = Result("privacy.y", 0.5, 0.4, 0.6, 0.5, "lower", True)
    assert records_at_risk([none], evidence(3)) == []
    assert agreement([none, found("x", (1, 2, 3))]) == []


def test_unrelated_attacks_agree_as_often_as_chance_has_it():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 20_000))
    (pair,) = agreement([found("a", first), found("b", second)], share=0.1)
    assert pair.chance == pytest.approx(0.1)
    assert pair.overlap == pytest.approx(0.1, abs=0.03)  # 4.5 deviations of a share of 2,000
    assert pair.correlation == pytest.approx(0.0, abs=0.03)  # 4.2 deviations
    (same,) = agreement([found("a", first), found("b", np.exp(first))], share=0.1)
    assert (same.correlation, same.overlap) == (1.0, 1.0)


def test_an_attack_that_cannot_tell_agrees_with_nobody():
    (pair,) = agreement([found("a", (1, 2, 3, 4)), found("flat", (7, 7, 7, 7))], share=0.3)
    assert np.isnan(pair.correlation)
    assert np.isnan(pair.overlap)


def test_results_of_another_table_are_refused():
    with pytest.raises(ParameterError, match="another table"):
        records_at_risk([found("x", (1, 2))], evidence(3))
    with pytest.raises(ParameterError, match="share"):
        top(np.arange(3.0), 0.0)


def test_all_rows_of_a_plain_copy_are_at_risk():
    caught = Result("privacy.x", 1.0, 0.9, 1.0, 0.5, "lower", True, per_record=(0.0, 0.0, np.nan))
    assert [record.place for record in records_at_risk([caught], evidence(3))] == [0, 1]
    assert records_at_risk([found("flat", (0.0, 0.0, 0.0), low=0.5)], evidence(3)) == []


def test_the_top_of_an_attack_that_only_guesses_is_nobody():
    assert records_at_risk([found("x", (1, 2, 3), low=0.45)], evidence(3), 0.3) == []
    assert records_at_risk([found("x", (1, 2, 3), low=np.nan)], evidence(3), 0.3) == []


def test_one_attack_cannot_have_two_results():
    with pytest.raises(ParameterError, match="twice"):
        agreement([found("x", (1, 2, 3)), found("x", (3, 2, 1))])


def test_the_rows_that_a_generator_copied_are_the_ones_at_risk():
    rng = np.random.default_rng(1)
    train, holdout, fresh = (
        pa.table({name: rng.normal(size=rows) for name in "abc"}) for rows in (400, 400, 380)
    )
    copied = rng.choice(400, 20, replace=False)
    synthetic = pa.concat_tables([fresh, train.take(copied)])
    shown = Evidence(train=train, holdout=holdout, synthetic=synthetic)
    names = ["gan_leaks", "closest_distance_l2"]
    results = attacks.run(shown, names=names, workers=0, progress=False)
    records = records_at_risk(results, shown, share=0.05)
    surest = [record.place for record in records if len(record.attacks) == 2]
    assert set(surest) == set(copied.tolist())
