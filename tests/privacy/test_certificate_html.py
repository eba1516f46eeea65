"""A notebook shows what a certificate amounts to, and no name in it becomes an element."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hostile_texts import HOSTILE, Seen, tags
from privacy.test_certificate_json import OPEN, PAID, WHOLE
from understudy.markup import spelled
from understudy.privacy.certificate import Certificate
from understudy.privacy.certificate_html import html

CLOSED = Certificate((PAID,))


def test_status_figures_and_every_read_are_shown():
    texts = Seen(CLOSED._repr_html_()).texts
    for text in ("certificate: sound", "epsilon at delta 1e-9", "sums", "age", "0.25"):
        assert text in texts
    assert "Gaussian, 4 times the L2 sensitivity" in texts


def test_rows_that_were_read_as_they_are_have_no_bound():
    texts = Seen(html(WHOLE)).texts
    assert "certificate: partial" in texts and "no bound" in texts and "infinite" in texts
    assert "certificate: none" in Seen(html(Certificate((OPEN,)))).texts


def test_a_certificate_of_nothing_has_no_ledger():
    assert html(Certificate(())).count("<table") == 1


def test_a_long_ledger_is_cut_short():
    found = html(Certificate((OPEN,) * 70))
    assert "and 20 more reads" in found
    assert found.count("infinite") == 50


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_names_add_no_element(word):
    entry = replace(PAID, what=word, columns=(word,), because=word, name=word)
    found = html(Certificate((entry,)))
    assert tags(found) == tags(html(CLOSED))
    assert Seen(found).texts.count(spelled(word)) == 2
