"""The options of CSV files: what they come to, and the same said again."""

import pytest

from understudy.cli.reading import csv_words, in_a_shell, named_source, reading_of
from understudy.errors import CsvError, InputError
from understudy.table.reading import Reading


def test_options_become_a_reading():
    found = reading_of("audit", ("a.csv", None), "\\t", "latin-1", ["NA"])
    assert found == Reading("\t", "latin-1", ("NA",))
    assert reading_of("audit", ("a.parquet", None), None, None, None) == Reading()


@pytest.mark.parametrize(
    ("given", "flag"),
    [
        ((";", None, None), "--delimiter"),
        ((None, "x", None), "--encoding"),
        ((None, None, ["-"]), "--missing"),
    ],
)
def test_options_without_a_csv_file_are_refused(given, flag):
    with pytest.raises(InputError, match=f"metrics: {flag} is for CSV files"):
        reading_of("metrics", ("a.parquet", None, "sqlite:///x.db?table=t"), *given)


def test_what_was_said_of_files_is_said_again():
    assert csv_words(None, None, ()) == []
    words = ["--delimiter", ";", "--encoding", "latin-1", "--missing", "NA", "--missing", "-"]
    assert csv_words(";", "latin-1", ("NA", "-")) == words


def test_no_password_is_printed_whatever_the_database():
    for scheme in ("postgresql", "postgres", "postgresql+psycopg", "mysql"):
        assert "hunter2" not in named_source(f"{scheme}://me:hunter2@host/db?table=t")
    assert named_source("people.csv") == "people.csv"


def test_a_place_in_a_file_survives_the_change_of_words():
    with pytest.raises(CsvError, match="--delimiter ';'") as refused, in_a_shell():
        raise CsvError("'a.csv': one field; pass delimiter=';'.", line=3, column=2)
    assert (refused.value.line, refused.value.column) == (3, 2)
