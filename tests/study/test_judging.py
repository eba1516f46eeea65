"""Verdicts: by the whole interval, of the worst of a group, and never by what could not be measured."""

from math import inf, nan

import pytest

from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian, Pure
from understudy.result import Result
from understudy.study.judging import is_membership, judged, said
from understudy.study.policy import Policy, Rule


def result(name, value, low, high, null=0.5, better="lower", **more):
    return Result(name, value, low, high, null, better, True, **more)


def attack(name, value, reach=0.02, **parts):
    return result(
        f"privacy.{name}", value, value - reach, value + reach, parts={"auroc": value, **parts}, n=2_000
    )


def verdict(rule, *results, certificate=None, strict=False):
    (line,) = judged(Policy("p", (rule,), strict), results, certificate)
    return line.verdict


@pytest.mark.parametrize(
    ("low", "high", "most", "least"),
    [(0.1, 0.2, "kept", "broken"), (0.2, 0.4, "unsure", "unsure"), (0.4, 0.5, "broken", "kept")],
)
def test_the_whole_interval_decides(low, high, most, least):
    found = result("fidelity.toy", (low + high) / 2, low, high)
    assert verdict(Rule("fidelity.toy", at_most=0.3), found) == most
    assert verdict(Rule("fidelity.toy", at_least=0.3), found) == least


def test_a_limit_that_is_just_reached_is_kept():
    assert verdict(Rule("fidelity.toy", at_most=0.3), result("fidelity.toy", 0.3, 0.3, 0.3)) == "kept"


def test_excess_and_ratio_are_taken_of_the_null():
    found = result("fidelity.toy", 0.6, 0.58, 0.62, null=0.2)
    assert verdict(Rule("fidelity.toy", at_most=0.5, of="excess"), found) == "kept"
    assert verdict(Rule("fidelity.toy", at_most=2, of="ratio"), found) == "broken"
    assert (
        verdict(Rule("fidelity.toy", at_most=2, of="ratio"), result("fidelity.toy", 1, 1, 1, null=0))
        == "not judged"
    )


def test_one_bad_attack_of_a_group_breaks_it_and_is_named():
    (line,) = judged(
        Policy("p", (Rule("membership", at_most=0.6),)), [attack("mc", 0.5), attack("dpi", 0.9)], None
    )
    assert line.verdict == "broken" and "dpi" in line.found and "worst of 2" in line.found


def test_an_attack_that_crashed_is_not_forgotten():
    crashed = Result("privacy.logan", nan, nan, nan, nan, "lower", True, notes=("not measured: no memory.",))
    assert verdict(Rule("membership", at_most=0.6), attack("mc", 0.5), crashed) == "not judged"


def test_a_tail_of_a_handful_is_not_judged():
    few = result("privacy.mc", 0.5, 0.1, 0.9, parts={"auroc": 0.5, "tpr_at_fpr_0.01": 0.6}, n=10)
    assert verdict(Rule("membership.tpr_at_fpr_0.01", at_most=0.05), few) == "not judged"


def test_attacks_that_were_not_tried_are_counted_and_do_not_decide():
    left = result("privacy.logan", nan, nan, nan, notes=("undefined: it needs a reference table",))
    rule = Rule("membership", at_most=0.6)
    (line,) = judged(Policy("p", (rule,)), [attack("mc", 0.5), left], None)
    assert line.verdict == "not judged" and "1 not judged" in line.found
    (line,) = judged(Policy("p", (rule,)), [attack("mc", 0.9), left], None)
    assert line.verdict == "broken"
    (line,) = judged(Policy("p", (rule,)), [left], None)
    assert line.verdict == "not judged" and line.found == "it needs a reference table"


def test_a_risk_without_a_control_is_not_judged():
    bare = result("privacy.inference", 0.9, 0.8, 1.0, null=0.1, parts={"main": 0.9})
    assert verdict(Rule("privacy.inference", at_most=0.09), bare) == "not judged"
    assert verdict(Rule("gdpr", at_most=0.09), bare) == "not judged"


def test_a_tail_has_an_exact_interval():
    rule = Rule("membership.tpr_at_fpr_0.01", at_most=0.05)
    assert verdict(rule, attack("mc", 0.5, **{"tpr_at_fpr_0.01": 0.01})) == "kept"
    assert verdict(rule, attack("mc", 0.5, **{"tpr_at_fpr_0.01": 0.055})) == "unsure"
    assert verdict(rule, attack("mc", 0.5, **{"tpr_at_fpr_0.01": 0.2})) == "broken"
    assert verdict(rule, attack("mc", 0.5)) == "not judged"


def test_a_part_of_one_result_can_be_asked_for():
    found = attack("dpi", 0.5, advantage=0.3)
    assert verdict(Rule("privacy.dpi.advantage", at_most=0.2), found) == "broken"
    assert verdict(Rule("privacy.dpi.nothing", at_most=0.2), found) == "not judged"
    assert verdict(Rule("privacy.absent", at_most=0.2), found) == "not judged"


def test_epsilon_needs_a_certificate_that_bounds_it():
    rule = Rule("epsilon", at_most=5.0, delta=1e-5)
    private = Certificate((Entry("sums", "train", Gaussian(2.0)),))
    assert verdict(rule, certificate=private) == "kept"
    assert verdict(Rule("epsilon", at_most=0.01, delta=1e-5), certificate=private) == "broken"
    assert verdict(rule) == "broken"
    assert verdict(rule, certificate=Certificate((Entry("all rows", "train"),))) == "broken"


def test_a_stand_in_without_a_guarantee_is_for_somebody_to_decide():
    rule = Rule("guarantee", at_least=1)
    assert verdict(rule, certificate=Certificate((Entry("sums", "train", Gaussian(2.0)),))) == "kept"
    assert verdict(rule) == "unsure"
    assert verdict(rule, certificate=Certificate((Entry("all rows", "train"),))) == "unsure"
    assert verdict(rule, strict=True) == "broken"


def test_a_sound_certificate_without_an_epsilon_at_a_usual_delta_is_no_guarantee():
    told = Entry("a level of one row is told", "schema", Pure(0.0, 0.03), because="threshold")
    loose = Certificate((Entry("sums", "train", Gaussian(4.0)), told))
    (line,) = judged(Policy("p", (Rule("guarantee", at_least=1),)), [], loose)
    assert loose.sound and line.verdict == "unsure"
    assert "no epsilon holds at delta 1e-05" in line.found and "0.04" in line.found


def test_a_guarantee_has_an_epsilon_that_the_policy_still_counts():
    loose = Certificate((Entry("sums", "train", Pure(20.0, 0.0)),))
    (line,) = judged(Policy("p", (Rule("guarantee", at_least=1),)), [], loose)
    assert line.verdict == "unsure" and "epsilon 20 at delta 1e-09" in line.found
    assert line.asks == "a certificate that bounds every attacker, with epsilon at most 10"
    assert verdict(Rule("guarantee", at_least=1, epsilon_at_most=25), certificate=loose) == "kept"
    close = Certificate((Entry("sums", "train", Pure(5.0, 0.0)),))
    assert verdict(Rule("guarantee", at_least=1), certificate=close) == "kept"
    assert verdict(Rule("guarantee", at_least=1, epsilon_at_most=2), certificate=close) == "unsure"


def test_a_strict_policy_breaks_on_doubt():
    doubt = result("fidelity.toy", 0.3, 0.2, 0.4)
    assert verdict(Rule("fidelity.toy", at_most=0.3), doubt, strict=True) == "broken"
    assert verdict(Rule("fidelity.other", at_most=0.3), doubt, strict=True) == "broken"
    assert verdict(Rule("fidelity.toy", at_most=0.5), doubt, strict=True) == "kept"


def test_a_value_without_an_interval_is_judged_by_itself():
    assert verdict(Rule("fidelity.toy", at_most=0.3), result("fidelity.toy", 0.4, nan, nan)) == "broken"


def test_numbers_are_said_in_the_digits_that_they_deserve():
    assert said(0.5, 0.5, 0.5) == "0.5"
    assert said(1234.5678, 1200, 1300) == "1234.6 (1200.0 to 1300.0)"
    assert is_membership(attack("mc", 0.5)) and not is_membership(result("fidelity.x", 0, 0, 0))
    assert said(1.0, -inf, inf) == "1"
