import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import MissingExtra, ParameterError
from understudy.metrics import mla
from understudy.metrics.mla import MLA, _scored, _Trial
from understudy.table.evidence import Evidence

QUICK = {"evaluators": "tree", "trials": 1, "nulls": 1, "draws": 30}


def people(rows, seed, flip=False):
    rng = np.random.default_rng(seed)
    group, x = rng.integers(3, size=rows), rng.normal(size=rows)
    pay = 2 * x + group + 0.5 * rng.normal(size=rows)
    rich = (pay > 1) != flip
    return pa.table(
        {
            "x": x,
            "group": np.array(["a", "b", "c"])[group],
            "pay": np.where(rng.random(rows) < 0.05, np.nan, -pay if flip else pay),
            "rich": np.where(rich, "yes", "no"),
        }
    )


def judge(synthetic, train=None, target=None, seed=0, **settings):
    holdout = people(400, 2)
    evidence = Evidence(
        train=people(400, 1) if train is None else train, holdout=holdout, synthetic=synthetic, target=target
    )
    return MLA(**{**QUICK, **settings})(evidence, seed=seed)


def trial(truth, real, synthetic, regression):
    return _Trial(np.array(truth), regression, {"tree": [(np.array(real), np.array(synthetic))]})


def test_an_f1_of_0_8_after_real_and_0_6_after_synthetic_rows_scores_a_quarter():
    truth = [0] * 5 + [1] * 5
    real, synthetic = [0, 0, 0, 0, 1, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    score, _ = _scored(trial(truth, real, synthetic, regression=False), [0.25, 0.25])
    assert score.parts["tree_real"] == pytest.approx(0.8) and score.parts["tree_synthetic"] == pytest.approx(
        0.6
    )
    assert score.value == score.parts["eq9"] == score.parts["absolute"] == pytest.approx(0.25)


def test_an_rmse_of_1_5_after_1_scores_a_half_and_minus_a_half_as_printed():
    score, _ = _scored(trial([0.0] * 4, [1.0] * 4, [1.5, -1.5] * 2, regression=True), [0.5, 0.5])
    assert score.value == 0.5 and score.parts["eq9"] == -0.5 and score.parts["absolute"] == 0.5


def test_a_synthetic_table_that_teaches_better_scores_below_zero_and_counts_as_loss_in_the_papers_code():
    score, _ = _scored(trial([0.0] * 2, [1.0] * 2, [0.5] * 2, regression=True), [0.0, 0.0])
    assert score.value == -0.5 and score.parts["absolute"] == 0.5


def test_a_copy_of_the_training_rows_loses_nothing():
    found = judge(people(120, 1), people(120, 1), evaluators="fast")
    assert found.value == 0 and (found.low, found.high) == (0, 0)


def test_fresh_rows_lose_little_and_swapped_labels_nearly_everything():
    fresh = judge(people(400, 3), evaluators="linear")
    swapped = judge(people(400, 4, flip=True), evaluators="linear")
    assert abs(fresh.value) < 0.1
    assert swapped.value > 0.5 and swapped.low > max(fresh.high, swapped.null)


def test_the_sign_is_that_of_a_loss_for_a_quantity_too():
    assert judge(people(400, 4, flip=True), target="pay").value > 0.3
    assert abs(judge(people(400, 3), target="pay").value) < 0.2


def test_labels_of_one_class_are_answered_by_a_constant_and_a_note_says_so():
    constant = people(1, 4).take(pa.array(np.zeros(100, np.int64)))
    found = judge(constant)
    assert 0 < found.value <= 1
    assert any("constant prediction" in note and "synthetic" in note for note in found.notes)


def test_labels_that_no_real_row_has_are_simply_wrong():
    odd = people(400, 3)
    odd = odd.set_column(3, "rich", pa.array(["never", "nowhere"] * 200))
    assert judge(odd).value == 1


def test_coverage_is_the_share_of_the_eight_and_the_others_are_named():
    found = judge(people(120, 3), people(120, 1), evaluators="fast")
    assert found.parts["coverage"] == 0.5 and math.isnan(found.parts["svm_loss"])
    assert any("svm, xgboost, catboost, ft_transformer" in note for note in found.notes)
    losses = [found.parts[f"{name}_loss"] for name in ("linear", "tree", "forest", "mlp")]
    assert found.value == pytest.approx(np.mean(losses))


def test_an_evaluator_scores_the_same_alone_and_among_others():
    among, alone = (
        judge(people(120, 3), people(120, 1), evaluators=which, trials=2) for which in ("fast", "tree")
    )
    assert among.parts["tree_loss"] == alone.value


def test_an_absent_package_is_a_note_among_all_and_an_error_by_name(monkeypatch):
    kept = tuple(each for each in mla.EVALUATORS if each.name in {"tree", "xgboost"})
    absent = tuple(replace(each, package=each.package.replace("xgboost", "not_there")) for each in kept)
    monkeypatch.setattr(mla, "EVALUATORS", absent)
    found = judge(people(200, 3), evaluators="all")
    assert any(
        "skipped xgboost" in note and "pip install 'understudy[evaluate]'" in note for note in found.notes
    )
    assert found.parts["coverage"] == 0.5
    with pytest.raises(MissingExtra, match="understudy\\[evaluate\\]"):
        judge(people(200, 3), evaluators="xgboost")


def test_tuned_parameters_are_found_again_by_their_seed(monkeypatch):
    calls = []
    tune = mla.tune
    monkeypatch.setattr(mla, "tune", lambda *given: calls.append(given[0].name) or tune(*given))
    evidence = Evidence(train=people(300, 1), holdout=people(200, 2), synthetic=people(300, 3))
    one = MLA(**{**QUICK, "trials": 3})(evidence)
    again = MLA(**{**QUICK, "trials": 3, "repeats": 2})(evidence)
    assert calls == ["tree"] and one.parts["tree_real"] == pytest.approx(again.parts["tree_real"], abs=0.05)
    MLA(**{**QUICK, "trials": 3})(evidence, seed=1)
    assert calls == ["tree", "tree"]


def test_test_rows_and_synthetic_rows_have_no_say_in_the_tuning(monkeypatch):
    found = []
    tune = mla.tune
    monkeypatch.setattr(mla, "tune", lambda *given: found.append(tune(*given)) or found[-1])
    numbers = lambda rows, seed, flip=False: people(rows, seed, flip).select(["x", "pay"])
    for holdout, synthetic in (
        (numbers(100, 2), numbers(300, 3)),
        (numbers(50, 8, True), numbers(99, 9, True)),
    ):
        evidence = Evidence(train=numbers(300, 1), holdout=holdout, synthetic=synthetic)
        MLA(**{**QUICK, "trials": 4})(evidence)
    assert found[0] == found[1]


def test_repeats_tell_the_noise_of_training_from_that_of_the_test_rows():
    once = judge(people(120, 3), evaluators="forest")
    often = judge(people(120, 3), evaluators="forest", repeats=3)
    assert math.isnan(once.parts["sd_training"]) and once.parts["sd_evaluation"] > 0
    assert often.parts["sd_training"] > 0
    width = (often.high - often.low) / 2
    assert width**2 == pytest.approx(
        1.959964**2 * (often.parts["sd_evaluation"] ** 2 + often.parts["sd_training"] ** 2 / 3), rel=1e-5
    )


def test_the_order_of_rows_and_columns_units_and_the_names_of_levels_change_nothing():
    train, synthetic, holdout = people(300, 1), people(300, 3), people(300, 2)

    def changed(table, seed):
        new = table.take(pa.array(np.random.default_rng(seed).permutation(len(table))))
        names = {"a": "u", "b": "t", "c": "s"}
        new = new.set_column(0, "x", pa.array(new["x"].to_numpy() * 4 + 16))
        new = new.set_column(1, "group", pa.array([names[name] for name in new["group"].to_pylist()]))
        return new.select(["pay", "rich", "group", "x"])

    plain = Evidence(train=train, synthetic=synthetic, holdout=holdout, target="rich")
    other = Evidence(
        train=changed(train, 5), synthetic=changed(synthetic, 6), holdout=changed(holdout, 7), target="rich"
    )
    settings = {**QUICK, "trials": 2}
    assert MLA(**settings)(other).value == pytest.approx(MLA(**settings)(plain).value, abs=1e-9)


def test_a_table_of_one_column_is_undefined_and_says_why():
    one = people(50, 1).select(["rich"])
    found = MLA(**QUICK)(Evidence(train=one, synthetic=people(60, 2).select(["rich"])))
    assert math.isnan(found.value) and any("no other column" in note for note in found.notes)


def test_two_rows_are_undefined_or_judged_but_never_a_crash():
    two = people(2, 1)
    found = MLA(**QUICK)(Evidence(train=two, synthetic=people(2, 3)))
    assert math.isnan(found.value) and any("fewer than 2 rows" in note for note in found.notes)
    MLA(**QUICK)(Evidence(train=two, synthetic=people(2, 3), holdout=people(2, 4)))


def test_a_loss_relative_to_a_perfect_fit_is_undefined_and_uncovered():
    score, (low, high) = _scored(trial([0.0] * 2, [0.0] * 2, [1.0] * 2, regression=True), [math.nan])
    assert math.isnan(score.value) and math.isnan(low) and math.isnan(high)
    assert score.parts["coverage"] == 0 and score.parts["tree_synthetic"] == 1


def test_real_rows_that_teach_nothing_right_leave_the_score_undefined_with_a_reason():
    train = people(40, 1).set_column(3, "rich", pa.array(["never"] * 40))
    found = judge(people(40, 3), train)
    assert math.isnan(found.value) and any(note.startswith("undefined") for note in found.notes)


def test_more_levels_than_half_the_rows_are_no_obstacle():
    names = pa.table({"x": np.arange(50.0), "name": [f"n{i // 2 if i % 4 else i}" for i in range(50)]})
    found = MLA(**QUICK)(
        Evidence(train=names, synthetic=names.slice(5), holdout=names.slice(0, 40), target="name")
    )
    assert not math.isnan(found.value)


def test_a_target_that_is_no_column_is_refused():
    evidence = Evidence(train=people(50, 1), synthetic=people(50, 3))
    with pytest.raises(ParameterError, match="target"):
        MLA(target="nothing")(evidence)


def test_rows_beyond_the_setting_are_left_out_and_that_is_said():
    found = judge(people(400, 3), rows=100)
    assert found.n == 100 and any("100 of 400 train rows" in note for note in found.notes)


@pytest.mark.slow
def test_all_eight_agree_that_swapped_labels_are_worse_than_fresh_rows():
    if any(each.missing for each in mla.EVALUATORS):
        pytest.skip("an extra is not installed")
    fresh, swapped = (
        judge(people(400, 3), evaluators="all"),
        judge(people(400, 4, flip=True), evaluators="all"),
    )
    assert fresh.parts["coverage"] == 1
    for each in mla.EVALUATORS:
        assert swapped.parts[f"{each.name}_loss"] > fresh.parts[f"{each.name}_loss"] + 0.2
