"""An audit in a notebook: its verdict, and no name that becomes an element."""

from understudy.report.dossier import Candidate, Dossier, Line
from understudy.study.notebook import as_html


def test_the_verdict_is_there_and_names_stay_text():
    line = Line("privacy.dpi", "at most 0.6", "0.9", "broken")
    shown = Candidate("<script>alert(1)</script>", 10, "00", (), (line,))
    text = as_html(Dossier("a", "now", "quick", 0, "ours", (), (), (shown,)))
    assert "refused" in text and "ours" in text and "<script" not in text
