"""Words of a report: figures of three digits, the judges' verdicts, notes without counts."""

import math

import pytest

from understudy.measuring.verdict import verdict
from understudy.report.dossier import Line
from understudy.report.words import against, brief, figure, line_to_share, note_to_share, span, spoken
from understudy.result import Result


def result(low, high, null, better="lower", name="privacy.toy"):
    return Result(name, (low + high) / 2, low, high, null, better, saw_real_rows=True)


@pytest.mark.parametrize("better", ["lower", "higher", "null"])
@pytest.mark.parametrize("ends", [(0.1, 0.2), (0.4, 0.6), (0.7, 0.9), (0.5, 0.5), (math.nan, math.nan)])
def test_a_report_judges_as_the_judges_do(ends, better):
    assert against(result(*ends, 0.5, better)) == verdict(result(*ends, 0.5, better))


def test_a_risk_is_compared_with_chance_and_a_score_with_fresh_rows():
    assert spoken(result(0.6, 0.7, 0.5)) == "more than chance"
    assert spoken(result(0.6, 0.7, 0.5, "null")) == "unlike fresh rows"
    assert spoken(result(0.6, 0.7, 0.5, name="fidelity.toy")) == "worse than fresh rows"
    assert spoken(result(math.nan, math.nan, 0.5)) == "not measured"
    assert spoken(result(0.6, 0.7, math.nan)) == "nothing to compare with"


@pytest.mark.parametrize("value", [0.123456789, 12.3456789, 123456.789, 1.23456789e-7, -0.98765])
def test_no_figure_tells_more_than_three_digits(value):
    digits = figure(value).split("e")[0].replace(",", "").strip("-0.").replace(".", "")
    assert len(digits.strip("0")) <= 3
    assert float(figure(value).replace(",", "")) == pytest.approx(value, rel=5e-3)


def test_what_has_no_end_or_no_value_is_said_so():
    assert figure(math.inf) == "∞"
    assert figure(math.nan) == "—"
    assert span(math.nan, 1.0) == "—"


@pytest.mark.parametrize(
    "note",
    [
        "1,000 of 1,500 rows of each table were asked",
        "7351 of 7352 records were targets",
        "exact: 7,351 rows were drawn",
        "the null compares 7351 with 7352 real rows",
        "73,511 rows were drawn of each of 99,999",
        "73 rows were drawn of each of 99 and 101",
        "expected 20 different reference rows or more; got 13.",
        "uni: 73 of 735 wanted predicates were found",
        "people's 735 holdout rows, and others' 99 rows",
    ],
)
def test_a_note_to_share_holds_no_count(note):
    assert not any(
        len(word.strip("(),.:;")) > 1 and word.strip("(),.:;")[0].isdigit()
        for word in note_to_share(note).split()
    )


@pytest.mark.parametrize(
    "note",
    [
        "classifier: XGBoost 3.2.0",
        "at 95 % it holds",
        "k is 5",
        "share 0.125 of it",
        "alpha-12",
        "naive guesses did as well as the attack (2023, 2024)",
        "target: the last column, '2023'",
        "all test rows have the same '735 rows'",
        'no group of "735 rows" has them',
        "columns 2023, 99 are left out",
        "undefined: a table has fewer than 2 rows",
    ],
)
def test_a_note_without_a_count_stays_as_it_is(note):
    assert note_to_share(note) == note


def test_a_long_name_is_cut_after_it_is_spelled_out():
    assert brief("\u202e" * 10, 8) == "\\u202e\\…"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            "0.2129 (0.2049 to 0.2211) by gan_leaks, the worst of 16",
            "0.213 (0.205 to 0.221) by gan_leaks, the worst of 16",
        ),
        ("0.0000 (0.0000 to 0.0033)", "0.0000 (0.0000 to 0.0033)"),
        ("12.3456 at delta 1e-05", "12.3 at delta 1e-05"),
        ("0.00123456, 0.512", "0.00123, 0.512"),
    ],
)
def test_a_line_to_share_has_three_digits(found, told):
    assert line_to_share(Line("x", "at most 1", found, "kept")).found == told


def test_why_a_line_was_not_judged_is_a_note():
    line = Line("x", "at most 1", "it has 7351 of 7352 rows", "not judged")
    assert line_to_share(line).found == "it has some of the rows"
