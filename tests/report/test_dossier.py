"""The dossier: what is confidential in it never leaves, and its lines add up to a verdict."""

import pytest

from understudy.report.dossier import (
    Candidate,
    Dossier,
    Grid,
    Group,
    Histogram,
    Line,
    Points,
    Record,
    Subject,
)
from understudy.result import Result

RESULT = Result("privacy.dpi", 0.6, 0.5, 0.7, 0.5, "lower", True, per_record=(0.25, 0.75))


def candidate(*verdicts):
    return Candidate(
        "a.csv",
        10,
        "00",
        (RESULT,),
        tuple(Line("privacy.dpi", "at most 0.6", "0.6", verdict) for verdict in verdicts),
        histograms=(Histogram("age", ("1",), (1.0,), real=(0.5,)),),
        grids=(
            Grid("real", ("a",), ((1.0,),), 1.0, True, True),
            Grid("made", ("a",), ((1.0,),), 1.0, True, False),
        ),
        planes=(Points("rows", (("train", ((0.0, 1.0),)),), True),),
        groups=(Group("sex", "F", "privacy.dpi", 5, 0.5, 0.4, 0.6, 1.0, 0.9, 1.1),),
        records=(Record("abc", 3, ("privacy.dpi",), 0.9),),
    )


@pytest.mark.parametrize(
    ("verdicts", "standing"),
    [
        ((), "undecided"),
        (("kept",), "passes"),
        (("kept", "unsure"), "undecided"),
        (("not judged",), "undecided"),
        (("unsure", "broken", "kept"), "refused"),
    ],
)
def test_one_broken_line_refuses_and_one_that_is_open_leaves_it_open(verdicts, standing):
    assert candidate(*verdicts).standing == standing


@pytest.mark.parametrize(
    ("each", "best", "worst"),
    [
        ((), "undecided", "undecided"),
        (("kept", "unsure"), "passes", "undecided"),
        (("unsure", "kept", "broken"), "passes", "refused"),
        (("kept", "kept"), "passes", "passes"),
    ],
)
def test_of_several_candidates_the_best_and_the_worst_are_known(each, best, worst):
    made = Dossier("audit", "2026-01-01", "quick", 0, "p", (), (), tuple(candidate(one) for one in each))
    assert (made.standing, made.worst) == (best, worst)


def test_what_is_shared_has_nothing_of_single_rows_or_real_ones():
    whole = Dossier(
        "audit",
        "2026-01-01",
        "quick",
        0,
        "default",
        (Subject("train", "people.csv", 10, "ff"), Subject("synthetic", "a.csv", 10, "00")),
        (),
        (candidate("kept"),),
    )
    left = whole.shared()
    assert whole.confidential and not left.confidential
    (shown,) = left.candidates
    assert shown.records == shown.groups == shown.planes == ()
    assert [grid.title for grid in shown.grids] == ["made"]
    assert shown.histograms[0].real is None and shown.results[0].per_record is None
    assert left.subjects == (Subject("train", ""), Subject("synthetic", "a.csv", 10, "00"))
    assert left.shared() == left
