"""A job and its result are lines of text; a failure is a result, and quotes no cell."""

import json
import math
from dataclasses import dataclass
from typing import final

import pytest

from measuring import toys
from understudy.errors import ParameterError
from understudy.measuring.job import DEBUG, answer, answered, attempt, failed, job, restored
from understudy.result import Result


def test_a_measure_comes_back_with_its_settings_and_its_seed():
    assert restored(job(toys.Drawn(scale=2.5), 7)) == (toys.Drawn(scale=2.5), 7)
    assert "\n" not in job(toys.Drawn(), 7)


def test_a_result_comes_back_as_it_was():
    result = Result(
        "fidelity.toy", 0.1, math.nan, math.nan, 0.2, "null", saw_real_rows=True,
        parts={"a": math.inf}, per_record=(0.5, 0.25), n=3, seconds=0.1, notes=("one", "two\n"),
    )  # fmt: skip
    back = answered(answer(result))
    assert "\n" not in answer(result)
    assert repr(back) == repr(result)


def test_a_measure_that_succeeds_is_what_it_is():
    evidence = toys.evidence()
    assert attempt(toys.Drawn(), evidence, 3).value == toys.Drawn()(evidence, seed=3).value


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (toys.Refusing(), "not measured: toy: it needs 1,000,000 rows; got fewer."),
        (toys.Hungry(), "not measured: not enough memory"),
        (toys.Quoting(), "not measured: ValueError in measure.py, line "),
    ],
)
def test_a_measure_that_fails_says_why_in_its_result(measure, said, monkeypatch):
    monkeypatch.delenv(DEBUG, raising=False)
    result = attempt(measure, toys.evidence(), 0)
    assert all(math.isnan(each) for each in (result.value, result.low, result.high, result.null))
    assert (result.name, result.better, result.n) == ("fidelity.toys", "lower", 0)
    assert len(result.notes) == 1 and result.notes[0].startswith(said)


def test_an_error_that_quotes_a_cell_is_not_repeated(monkeypatch):
    monkeypatch.delenv(DEBUG, raising=False)
    assert toys.SECRET not in answer(attempt(toys.Quoting(), toys.evidence(), 0))


def test_for_a_debugger_a_foreign_error_is_raised_and_a_refusal_is_not(monkeypatch):
    monkeypatch.setenv(DEBUG, "1")
    with pytest.raises(ValueError, match=toys.SECRET):
        attempt(toys.Quoting(), toys.evidence(), 0)
    assert math.isnan(attempt(toys.Refusing(), toys.evidence(), 0).value)


def test_an_interrupt_is_no_failure_of_a_measure():
    with pytest.raises(SystemExit):
        attempt(toys.Leaving(), toys.evidence(), 0)


def test_a_failure_has_the_seconds_it_took():
    assert failed(toys.Drawn(), "a reason.", 1.5).seconds == 1.5


def test_a_class_that_other_processes_cannot_import_is_refused():
    @final
    @dataclass(frozen=True)
    class Inside(toys.Odd):
        def find(self, evidence, rng):  # noqa: ARG002
            raise AssertionError

    with pytest.raises(ParameterError, match=r"Inside must be a class of a module.*workers=0"):
        job(Inside(), 0)


def test_the_lines_are_plain_ascii():
    assert job(toys.Drawn(), 0).isascii()
    assert json.loads(answer(failed(toys.Drawn(), "für", 0)))["notes"] == ["not measured: für"]
    assert answer(failed(toys.Drawn(), "für", 0)).isascii()
