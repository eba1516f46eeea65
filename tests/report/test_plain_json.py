"""Files that hold hostile names can be pasted anywhere and read back as they were."""

from __future__ import annotations

import json
import math

import pytest

from hostile_texts import HOSTILE
from understudy.report.plain_json import pasteable, rounded, whole_text


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_text_comes_back_and_cannot_leave_its_file(word):
    text = pasteable({word: [word]})
    assert json.loads(text) == {word: [word]}
    assert text.isascii() and not set("<>&") & set(text)


def test_what_is_undefined_is_never_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        pasteable({"value": math.nan})


def test_numbers_have_six_digits():
    assert [rounded(value) for value in (2 / 3, 1e-20 / 3, 123456789.0, -0.5, 0.0)] == [
        0.666667, 3.33333e-21, 123457000.0, -0.5, 0.0,
    ]  # fmt: skip
    assert [rounded(value) for value in (math.inf, -math.inf, math.nan, None)] == [None] * 4


@pytest.mark.parametrize("word", HOSTILE)
def test_every_text_fits_into_utf_8_and_most_are_unchanged(word):
    assert whole_text(word).encode()
    assert whole_text(word) == word or "\udc80" in word
