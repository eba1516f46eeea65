"""Records at risk as a file: a line each, for the owner alone."""

import pytest

from understudy.errors import ParameterError, UnderstudyError, WriteError
from understudy.measuring.at_risk import RecordAtRisk
from understudy.measuring.worst_file import refuse_place, write_records

RECORDS = [
    RecordAtRisk("ab12", 7, ("privacy.dpi", "privacy.mc"), 0.875),
    RecordAtRisk("cd34", 0, ("privacy.mc",), 0.5),
]


def test_every_record_has_its_line(tmp_path):
    path = tmp_path / "worst.csv"
    assert write_records(RECORDS, path) == 2
    assert path.read_text() == (
        "id,place,rank,attacks\nab12,7,0.875000,privacy.dpi privacy.mc\ncd34,0,0.500000,privacy.mc\n"
    )
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    path = tmp_path / "worst.csv"
    path.touch(mode=0o666)
    write_records(RECORDS[:1], path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().count("\n") == 2


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(UnderstudyError, match="cannot write"):
        write_records(RECORDS, tmp_path / "nowhere" / "worst.csv")


def test_no_input_is_overwritten_and_no_device_is_touched(tmp_path):
    table, other = tmp_path / "table.csv", tmp_path / "new.csv"
    table.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(table)
    with pytest.raises(ParameterError, match="one of the inputs"):
        refuse_place(tmp_path / "link.csv", [str(table), None])
    for place in (tmp_path, tmp_path / "nowhere" / "worst.csv"):
        with pytest.raises(WriteError):
            refuse_place(place, [str(table)])
        with pytest.raises(WriteError):
            write_records(RECORDS, place)
    refuse_place(other, [str(table), "postgresql://host/db?table=t"])
    assert table.read_text() == "a\n1\n"
