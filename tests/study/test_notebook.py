"""An audit in a notebook: its verdict, and no name that becomes an element."""

from understudy.report.dossier import Candidate, Dossier, Line
from understudy.study.notebook import as_html


def test_the_verdict_is_there_and_names_stay_text():
    line = Line("privacy.dpi", "at most 0.6", "0.9", "broken")
    shown = Candidate("<script>alert(1)</script>", 10, "00", (), (line,))
    text = as_html(Dossier("a", "now", "quick", 0, "ours", (), (), (shown,)))
    assert "refused" in text and "ours" in text and "<script" not in text


def test_a_notebook_shows_three_digits_words_and_no_count():
    lines = (
        Line("privacy.dpi", "at most 0.6", "0.91234 (0.90123 to 0.92345)", "broken"),
        Line("privacy.mia", "at most 0.6", "it has 7351 of 7352 rows", "not judged"),
    )
    shown = Candidate("a.csv", 10, "00", (), lines)
    text = as_html(Dossier("a", "now", "quick", 0, "ours", (), (), (shown,)))
    assert "0.912 (0.901 to 0.923)" in text and "Data plagiarism index" in text
    assert "735" not in text
