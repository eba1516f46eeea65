"""How judges read: private tables as said, stand-ins as they were written."""

import pyarrow as pa
import pytest

from understudy.errors import CsvError, EncodingError
from understudy.table.reading import Reading
from understudy.table.table import Table

FORMULAS = ["-", "+41", "=", "'=", "'s", "plain", None]


def cells(table):
    return table.to_arrow().column(0).to_pylist()


def test_a_stand_in_is_what_it_was_before_its_formulas_were_guarded(tmp_path):
    Table(pa.table({"=code": FORMULAS})).write(tmp_path / "a.csv")
    found = Reading().stand_in(tmp_path / "a.csv")
    assert (found.names, cells(found)) == (["=code"], FORMULAS)


def test_a_stand_in_that_was_never_guarded_is_left_as_it_is(tmp_path):
    Table(pa.table({"code": FORMULAS})).write(tmp_path / "a.csv", raw_csv=True)
    assert cells(Reading().stand_in(str(tmp_path / "a.csv"))) == FORMULAS


def test_an_apostrophe_in_a_private_file_is_its_own(tmp_path):
    (tmp_path / "a.csv").write_text("code\n'-\nx\n")
    assert cells(Reading().private(tmp_path / "a.csv")) == ["'-", "x"]


def test_private_files_are_read_as_said_and_other_sources_as_they_are(tmp_path):
    (tmp_path / "a.csv").write_bytes("größe;n\n1;x\nNA;y\n".encode("latin-1"))
    reading = Reading(";", "latin-1", ("NA",))
    assert cells(reading.private(tmp_path / "a.csv")) == [1, None]
    Table(pa.table({"n": [1, 2]})).write(tmp_path / "a.parquet")
    assert cells(reading.private(tmp_path / "a.parquet")) == [1, 2]
    assert cells(reading.stand_in(tmp_path / "a.parquet")) == [1, 2]


def test_a_stand_in_is_read_as_private_files_are_only_if_it_cannot_be_read_otherwise(tmp_path):
    reading = Reading(";", "latin-1")
    (tmp_path / "ours.csv").write_text("a,b\nx;y,ü\n", encoding="utf-8")
    assert cells(reading.stand_in(tmp_path / "ours.csv")) == ["x;y"]
    (tmp_path / "theirs.csv").write_bytes("a;b\n'-;ü\n".encode("latin-1"))
    assert cells(reading.stand_in(tmp_path / "theirs.csv")) == ["-"]


@pytest.mark.parametrize(("content", "error"), [("a;b\n1;2\n", CsvError), ("ä,b\n1,2\n", EncodingError)])
def test_a_stand_in_that_nobody_can_read_is_refused(tmp_path, content, error):
    (tmp_path / "a.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(error):
        Reading().stand_in(tmp_path / "a.csv")
