"""Claims: refuted by an attack that surely exceeds them, and by nothing less."""

import numpy as np

from understudy.measuring.membership import SURE
from understudy.measuring.roc import sure_point
from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian, Pure
from understudy.result import Result
from understudy.study.claim_check import claim_line, refuting

PRIVATE = Certificate((Entry("sums", "train", Gaussian(1 / 0.36)),))


def attack(mu, seed, size=1_000):
    rng = np.random.default_rng(seed)
    tpr, fpr = sure_point(rng.normal(mu, 1, size), rng.normal(size=size), SURE)
    parts = {"auroc": 0.5, "sure_tpr": tpr, "sure_fpr": fpr}
    return Result("privacy.toy", 0.5, 0.4, 0.6, 0.5, "lower", True, parts=parts, n=2 * size)


def test_an_attack_at_the_very_bound_refutes_nothing_in_400_tries():
    # 0.36-GDP is claimed and true: at 99.9 % each, 400 tries raise 0.4 false alarms; 4 come once in 1,300.
    assert sum(bool(refuting([attack(0.36, seed)], PRIVATE)) for seed in range(400)) <= 3


def test_a_claim_that_an_attack_exceeds_is_called_false():
    line = claim_line([attack(0.0, 1), attack(1.5, 2)], PRIVATE, [])
    assert line.verdict == "broken" and "the claim is false" in line.found


def test_a_holdout_of_another_law_leaves_it_open():
    line = claim_line([attack(1.5, 2)], PRIVATE, ["age"])
    assert line.verdict == "unsure" and "age" in line.found


def test_an_audit_of_epsilon_that_exceeds_refutes_too():
    found = Result("privacy.epsilon_audit", 9.0, 9.0, 9.5, 0.0, "lower", True, parts={"exceeds": 1.0})
    assert claim_line([found], PRIVATE, []).verdict == "broken"
    kept = Result("privacy.epsilon_audit", 0.1, 0.1, 0.5, 0.0, "lower", True, parts={"exceeds": 0.0})
    assert claim_line([kept], PRIVATE, []).verdict == "kept"


def test_a_claim_without_an_epsilon_can_be_refuted_and_is_never_kept():
    told = Entry("a level of one row is told", "train", Pure(0.0, 0.03))
    loose = Certificate((*PRIVATE.entries, told))
    line = claim_line([attack(0.0, 1)], loose, [])
    assert line.verdict == "not judged" and "no epsilon holds at delta 1e-05" in line.found
    assert "inf" not in line.asks
    assert claim_line([attack(1.5, 2)], loose, []).verdict == "broken"


def test_nothing_is_said_where_nothing_is_claimed_or_tried():
    assert claim_line([attack(1.5, 2)], Certificate((Entry("all rows", "train"),)), []) is None
    assert claim_line([], PRIVATE, []).verdict == "not judged"


def test_so_few_targets_that_nothing_could_be_refuted_keep_no_claim():
    line = claim_line([attack(0.0, 1, size=5)], PRIVATE, [])
    assert line.verdict == "not judged" and "enough rows" in line.found
