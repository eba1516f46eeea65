"""The plagiarism index: every row that was judged is counted once."""

import math
import re
from dataclasses import replace

from report import dossiers
from understudy.report.dpi import plagiarism

DPI = next(each for each in dossiers.results() if each.name == "privacy.dpi")


def test_every_judged_row_is_counted_once():
    scores = (0.0, 0.02, 0.5, 0.98, 1.0, math.nan, 7.0)
    picture = plagiarism(replace(DPI, per_record=scores))
    counts = [int(found.replace(",", "")) for found in re.findall(r": ([\d,]+) training rows", picture)]
    assert sum(counts) == 6
    assert counts[0] == 2
    assert len(counts) == 21
    assert counts[-1] == 3
    assert "50.0% of 6 rows" in picture


def test_without_scores_there_is_no_picture():
    assert plagiarism(replace(DPI, per_record=None)) == ""
    assert plagiarism(replace(DPI, per_record=(math.nan,))) == ""
