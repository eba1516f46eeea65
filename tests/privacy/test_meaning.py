"""What a certificate means, in sentences, with the figures of the curve."""

from __future__ import annotations

import pyarrow as pa

from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian, Pure
from understudy.privacy.meaning import headline, plain_meaning, quoted
from understudy.privacy.seal import Seal
from understudy.synth.histogram import Histogram
from understudy.table.schema import Schema

PAID = Entry("sums", "measure", Gaussian(1 / 0.356368), because="clipped")


def test_the_sentences_hold_the_figures_of_separation_a_tenth():
    text = " ".join(plain_meaning(Certificate((PAID,))))
    assert "finds at most 2.4% of those that were" in text
    assert "right about at most 57.1% of rows" in text
    assert "advantage over guessing of at most 14.1%" in text
    assert "for one row added or removed" in text


def test_rows_read_as_they_are_are_named_and_nothing_is_promised():
    lines = plain_meaning(Certificate((Entry("all rows", "train"),)))
    assert lines[0] == "Private rows were read as they are (all rows)."
    assert lines[1] == "Nothing bounds what everything else can reveal about a row."


def test_a_covered_part_keeps_its_meaning():
    partial = Certificate((PAID, Entry("latents", "train")), seals=(Seal("weights", "ab" * 32, 1),))
    text = " ".join(plain_meaning(partial))
    assert "Of weights alone: Somebody who tries" in text
    assert "Nothing bounds what everything else can reveal" in text


def test_a_condition_is_repeated():
    conditional = Certificate((Entry("rows", "sample", Gaussian(4.0), condition="no eigenvalue is small"),))
    assert plain_meaning(conditional)[-1] == "It holds only if no eigenvalue is small."


def _told_with_chance(delta):
    return Certificate((PAID, Entry("a level of one row is told", "schema", Pure(0.0, delta), because="x")))


def test_the_delta_quoted_is_the_smallest_usual_one_that_has_an_epsilon():
    assert headline(Certificate((PAID,)))[1] == 1e-9
    assert headline(_told_with_chance(1e-7))[1] == 1e-6
    assert headline(_told_with_chance(2e-6))[1] == 1e-5


def test_a_delta_that_is_asked_for_is_the_one_quoted():
    certificate = _told_with_chance(1e-7)
    assert headline(certificate, 1e-4) == (certificate.epsilon(1e-4), 1e-4)
    assert quoted(certificate, 1e-4) == f"epsilon {certificate.epsilon(1e-4):.4g} at delta 0.0001"


def test_what_has_no_epsilon_is_never_quoted_as_infinite():
    assert quoted(_told_with_chance(1e-3)).startswith("no epsilon holds at delta 1e-05; the smallest")
    assert quoted(_told_with_chance(1e-7), 1e-9) == "no epsilon holds at delta 1e-9"


def test_a_fit_that_read_nothing_says_what_it_takes_to_be_public():
    table = pa.table({"x": pa.array([None] * 50, pa.string())})
    looked_up = Schema.infer(table)
    model = Histogram().fit(table, looked_up, Budget(epsilon=1.0), progress=False)
    assert looked_up.column("x").kind == "all_missing" and model.certificate.entries == ()
    first, second = plain_meaning(model.certificate)
    assert first.startswith("Nothing was read from private rows in this fit:")
    assert first.endswith("beyond what is taken to be public.")
    assert all(each in second for each in model.certificate.assumptions)
    assert "looked up in the rows" in second
