from unittest.mock import PropertyMock

import pyarrow as pa
import pytest

from understudy.cli.outcome import meaning, seconds_text, shown_source, size_text
from understudy.privacy import Certificate, Entry
from understudy.table.table import Table


def test_reading_rows_as_they_are_means_no_guarantee():
    assert meaning(Certificate((Entry("all rows", "train"),))).startswith("no privacy guarantee")


def test_a_sound_certificate_states_its_bound():
    assert (
        meaning(Certificate(()))
        == "epsilon 0 at delta 1e-9, for one row, for every table that could have been read"
    )


@pytest.mark.parametrize(("status", "word"), [("conditional", "condition"), ("partial", "weights")])
def test_a_lesser_guarantee_is_never_told_as_a_full_one(monkeypatch, status, word):
    monkeypatch.setattr(Certificate, "status", PropertyMock(return_value=status))
    assert word in meaning(Certificate(()))


def test_one_row_is_a_row():
    assert size_text(Table(pa.table({"a": [1]}))) == "1 row, 1 column"
    assert size_text(Table(pa.table({"a": range(2000), "b": range(2000)}))) == "2,000 rows, 2 columns"


def test_seconds_have_few_digits():
    assert [seconds_text(s) for s in (0.0312, 1.26, 100.0)] == ["0.03 s", "1.3 s", "100.0 s"]


def test_a_url_is_shown_without_what_may_be_secret():
    assert shown_source("people.csv") == "people.csv"
    assert shown_source("sqlite:///x.db?query=SELECT 1") == "sqlite://..."
