"""What all guessing attacks share: denominators, notes, nulls, and a value without a control."""

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pyarrow as pa
import pytest

from understudy import check
from understudy.measuring.guessing import Guessed, GuessingAttack, in_order
from understudy.measuring.risk import Runs, Tries
from understudy.table.evidence import Evidence
from understudy.testing.judging import law


@final
@dataclass(frozen=True)
class Told(GuessingAttack):
    """An attack whose counts are known."""

    main: int = check.integer(100, low=0, high=500)
    naive: int = check.integer(10, low=0, high=500)

    def guess(self, evidence: Evidence, rng: np.random.Generator) -> Guessed:
        del rng
        control: Any = Tries(50, 500) if evidence.has("holdout") else None
        none: Any = Tries(0, 0) if evidence.has("holdout") else None
        return Guessed({
            "a": Runs(Tries(self.main, 500), Tries(self.naive, 500), control),
            "b": Runs(Tries(0, 0), Tries(0, 0), none),
        }, beside={"c": Runs(Tries(500, 500), Tries(0, 500), control)})  # fmt: skip


def evidence(**more):
    return Evidence(**({"train": law(40, 1), "synthetic": law(40, 3)} | more))


def test_the_value_is_the_risk_and_its_null_is_nothing():
    found = Told()(evidence(holdout=law(40, 2)))
    assert (found.value, found.low, found.high) == pytest.approx((0.110639, 0.063665, 0.157613), abs=1e-6)
    assert found.null == 0 and found.better == "lower" and found.n == 500


def test_parts_hold_rates_and_counts_of_every_run_and_say_what_is_undefined():
    parts = Told()(evidence(holdout=law(40, 2))).parts
    assert parts["a.main_hits"] == 100 and parts["a.control_guesses"] == 500 and parts["a.naive_hits"] == 10
    assert parts["a.main"] == pytest.approx(0.202287, abs=1e-6)
    assert parts["c.raw"] > 0.9 > parts["raw"]  # beside the value, not in it
    assert math.isnan(parts["b.raw"]) and parts["coverage"] == 0.5


def test_a_risk_below_nothing_is_cut_and_kept_in_the_parts():
    found = Told(main=10)(evidence(holdout=law(40, 2)))
    assert found.value == 0 and found.parts["raw"] < 0
    assert found.low == 0 and found.high == pytest.approx(found.parts["raw_high"] - found.parts["raw"])


def test_naive_guesses_that_do_as_well_are_said_and_do_not_enter_the_risk():
    poor, good = (Told(naive=naive)(evidence(holdout=law(40, 2))) for naive in (200, 10))
    assert any("naive" in note for note in poor.notes) and not any("naive" in note for note in good.notes)
    assert poor.value == good.value


def test_without_a_holdout_the_rate_is_given_with_the_naive_one_as_its_null():
    found = Told()(evidence())
    assert found.value == pytest.approx(0.202287, abs=1e-6)
    assert found.null == pytest.approx((10 + 1.92) / 503.84, abs=1e-4)
    assert any("no holdout" in note for note in found.notes)
    assert "control" not in found.parts


def test_tables_stand_in_one_order_however_they_came():
    train, synthetic = law(50, 1), law(50, 3)
    turned = pa.concat_tables([train.slice(20), train.slice(0, 20)]).select(train.schema.names[::-1])
    one, other = (in_order(Evidence(train=table, synthetic=synthetic), "train") for table in (train, turned))
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in ("dose", "rise", "visits"))
