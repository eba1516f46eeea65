import hashlib
import os
import stat

import pyarrow as pa
import pytest

from killing import killed_at_every_call
from understudy.errors import InputError, WriteError
from understudy.privacy import Certificate, Entry
from understudy.table import release as room
from understudy.table.release import (
    certificate_path,
    file_digest,
    refuse_file,
    refuse_folder,
    refuse_target,
    release,
)
from understudy.table.table import Table

TABLE = Table(pa.table({"a": [1, 2]}))
NONE = Certificate((Entry("all rows", "train"),))


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv", "x.parquet", "x.arrow", "x.feather"])
def test_a_table_and_its_certificate_lie_side_by_side(tmp_path, name):
    beside = release(TABLE, tmp_path / name, NONE)
    assert beside.name == "x.certificate.json"
    found = Certificate.from_json(beside.read_bytes())
    assert found.artefacts == {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}
    assert found.entries == NONE.entries
    assert sorted(os.listdir(tmp_path)) == sorted([name, beside.name])


def test_only_the_ending_is_taken_off_a_name(tmp_path):
    assert certificate_path(tmp_path / "people.v2.CSV.gz").name == "people.v2.certificate.json"


def test_a_digest_is_the_sha_256_of_the_bytes(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    assert file_digest(tmp_path / "x") == hashlib.sha256(b"abc").hexdigest()


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_when_a_move_fails_everything_is_as_it_was(tmp_path, monkeypatch, failing, error):
    release(TABLE, tmp_path / "x.csv", NONE)
    before = {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()}
    calls = []

    def replace(source, target, real=os.replace):
        # Files are also moved into place inside the hidden folder; only moves to or from the target count.
        if tmp_path in (source.parent, target.parent):
            calls.append(target)
            if len(calls) == failing:
                raise error
        real(source, target)

    monkeypatch.setattr(room.os, "replace", replace)
    with pytest.raises((WriteError, KeyboardInterrupt)):
        release(Table(pa.table({"a": [9]})), tmp_path / "x.csv", NONE)
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == before


def test_when_the_certificate_cannot_be_written_the_table_is_not_there(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "write_bytes", fail)
    with pytest.raises(WriteError, match="No space left"):
        release(TABLE, tmp_path / "x.csv", NONE)
    assert os.listdir(tmp_path) == []


def test_a_table_that_the_format_cannot_hold_leaves_nothing(tmp_path):
    with pytest.raises(InputError):
        release(Table(pa.table({"a": ["x\0y"]})), tmp_path / "x.csv", NONE)
    assert os.listdir(tmp_path) == []


def test_a_fresh_name_and_an_empty_file_are_fine_targets(tmp_path):
    refuse_target(tmp_path / "x.csv")
    (tmp_path / "x.csv").touch()
    refuse_target(tmp_path / "x.csv")


def test_a_stand_in_may_be_replaced(tmp_path):
    release(TABLE, tmp_path / "x.csv", NONE)
    refuse_target(tmp_path / "x.csv")


def test_the_certificate_of_another_table_is_not_taken_away(tmp_path):
    release(TABLE, tmp_path / "x.csv", NONE)
    with pytest.raises(InputError, match="belongs to another file"):
        refuse_target(tmp_path / "x.parquet")
    refuse_target(tmp_path / "x.parquet", force=True)
    (tmp_path / "x.csv").unlink()
    refuse_target(tmp_path / "x.parquet")


def test_a_certificate_of_another_table_makes_no_file_ours(tmp_path):
    release(TABLE, tmp_path / "x.parquet", NONE)
    (tmp_path / "x.parquet").unlink()
    (tmp_path / "x.csv").write_text("mine")
    with pytest.raises(InputError, match="not a stand-in"):
        refuse_target(tmp_path / "x.csv")


def test_something_else_in_the_place_of_the_certificate_is_kept(tmp_path):
    (tmp_path / "x.certificate.json").write_text("my notes")
    with pytest.raises(InputError, match="in the way"):
        refuse_target(tmp_path / "x.csv")
    refuse_target(tmp_path / "x.csv", force=True)


@pytest.mark.parametrize("name", ["x", "x.txt", "absent/x.csv", "folder.csv"])
def test_a_place_that_cannot_be_written_is_refused_by_force_too(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="output: "):
        refuse_target(tmp_path / name, force=True)


def test_a_source_is_refused_by_force_too(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    (tmp_path / "y.certificate.json").write_text("a\n1\n")
    for source, target in (("x.csv", "x.csv"), ("y.certificate.json", "y.csv")):
        with pytest.raises(InputError, match="to be read"):
            refuse_target(tmp_path / target, sources=[tmp_path / source], force=True)


def test_a_folder_may_hold_what_is_ours_and_nothing_else(tmp_path):
    refuse_folder(tmp_path / "absent", ["m.json"])
    refuse_folder(tmp_path, ["m.json"])
    (tmp_path / "m.json").write_text("{}")
    refuse_folder(tmp_path, ["m.json"])
    with pytest.raises(InputError, match="to be read"):
        refuse_folder(tmp_path, ["m.json"], sources=[tmp_path / "m.json"])
    with pytest.raises(InputError, match="is a file"):
        refuse_folder(tmp_path / "m.json", ["m.json"])
    (tmp_path / "diary").write_text("mine")
    with pytest.raises(InputError, match="'diary'"):
        refuse_folder(tmp_path, ["m.json"])


def test_a_file_that_may_have_been_edited_is_replaced_only_by_force(tmp_path):
    refuse_file(tmp_path / "s.json")
    (tmp_path / "s.json").write_text("{}")
    with pytest.raises(InputError, match="exists"):
        refuse_file(tmp_path / "s.json")
    refuse_file(tmp_path / "s.json", force=True)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_private_table_stays_private_and_so_is_its_certificate(tmp_path):
    beside = release(TABLE, tmp_path / "x.csv", NONE)
    (tmp_path / "x.csv").chmod(0o600)
    release(TABLE, tmp_path / "x.csv", NONE)
    assert mode(tmp_path / "x.csv") == mode(beside) == 0o600


def test_a_private_certificate_stays_private(tmp_path):
    beside = release(TABLE, tmp_path / "x.csv", NONE)
    beside.chmod(0o600)
    release(TABLE, tmp_path / "x.csv", NONE)
    assert mode(beside) == 0o600
    assert mode(tmp_path / "x.csv") != 0o600


def test_a_name_that_a_certificate_cannot_hold_is_refused(tmp_path):
    path = tmp_path / os.fsdecode(b"b\xffd.csv")
    for refuse in (refuse_target, lambda place: release(TABLE, place, NONE)):
        with pytest.raises(InputError, match="not valid UTF-8"):
            refuse(path)
    assert os.listdir(tmp_path) == []


def test_an_interrupt_after_both_moves_takes_nothing_back(tmp_path, monkeypatch):
    release(TABLE, tmp_path / "x.csv", NONE)

    def replace(source, target, real=os.replace):
        real(source, target)
        if target == tmp_path / "x.csv":
            raise KeyboardInterrupt

    monkeypatch.setattr(room.os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        release(Table(pa.table({"a": [9]})), tmp_path / "x.csv", NONE)
    covered = Certificate.from_json((tmp_path / "x.certificate.json").read_bytes()).artefacts
    assert covered == {"x.csv": file_digest(tmp_path / "x.csv")}


RELEASE = """
import pyarrow as pa
from understudy.privacy import Certificate, Entry
from understudy.table.release import file_digest, release
from understudy.table.table import Table
import pandas
import understudy.table.csv_write
none = Certificate((Entry("all rows", "train"),))
none.to_json()  # what is slow to import is imported once, before the forks
def before(folder):
    if OVER:
        release(Table(pa.table({"a": [1]})), folder / "x.csv", none)
def write(folder):
    release(Table(pa.table({"a": [2]})), folder / "x.csv", none)
def look(folder):
    table, beside = folder / "x.csv", folder / "x.certificate.json"
    seal = Certificate.from_json(beside.read_bytes()).artefacts["x.csv"] if beside.exists() else None
    text = table.read_text() if table.exists() else None
    fits = text is not None and seal == file_digest(table)
    return [text, seal is not None, fits, sorted(path.name for path in folder.iterdir())]
"""


def test_a_release_that_is_killed_leaves_old_or_new_files_and_the_next_one_no_traces():
    outcomes = killed_at_every_call("OVER = True" + RELEASE)
    assert len(outcomes) > 8
    assert {killed[0] for killed, _ in outcomes} == {"a\n1\n", "a\n2\n"}
    assert all(killed[1] for killed, _ in outcomes)
    assert all(after == ["a\n2\n", True, True, ["x.certificate.json", "x.csv"]] for _, after in outcomes)


def test_a_first_release_that_is_killed_never_leaves_a_table_without_a_certificate():
    outcomes = killed_at_every_call("OVER = False" + RELEASE)
    assert {(killed[0], killed[1]) for killed, _ in outcomes} == {
        (None, False), (None, True), ("a\n2\n", True),
    }  # fmt: skip
    assert all(killed[2] for killed, _ in outcomes if killed[0])
    assert all(after[3] == ["x.certificate.json", "x.csv"] for _, after in outcomes)
