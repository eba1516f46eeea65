"""The ledger's file: whole after a failure, and it knows how far it had come."""

from __future__ import annotations

import sqlite3

import pytest

from understudy.errors import CorruptModel, WriteError
from understudy.privacy import ledger_file
from understudy.privacy.ledger_file import (
    committing,
    connect,
    read_head,
    reading,
    refuse_rollback,
    write_head,
)

CHAINS = ["aa", "bb", "cc"]


def test_a_block_that_fails_leaves_the_file_as_it_was(tmp_path):
    base = connect(tmp_path)

    def fail():
        with committing(base):
            base.execute("INSERT INTO seals VALUES ('a', 'b', 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not base.in_transaction
    assert base.execute("SELECT count(*) FROM seals").fetchone() == (0,)
    base.close()


def test_a_payment_is_on_the_disk_before_it_counts(tmp_path):
    base = connect(tmp_path)
    assert base.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
    assert base.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    base.close()


def test_what_sqlite_raises_is_an_error_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_file, "PATIENCE", 0.05)
    first, second = connect(tmp_path), connect(tmp_path)
    with committing(first), pytest.raises(WriteError, match="database is locked"), committing(second):
        pass
    with pytest.raises(WriteError, match="no such table"), reading():
        first.execute("SELECT * FROM people")
    first.close()
    second.close()
    with pytest.raises(WriteError, match="closed"), reading():
        first.execute("SELECT 1")


@pytest.mark.parametrize(("count", "chain"), [(0, "x"), (1, "aa"), (3, "cc")])
def test_a_head_that_the_chain_has_passed_is_fine(tmp_path, count, chain):
    write_head(tmp_path, count, chain)
    refuse_rollback(read_head(tmp_path), CHAINS)


@pytest.mark.parametrize(("count", "chain"), [(4, "dd"), (3, "bb"), (1, "cc")])
def test_a_head_that_the_chain_does_not_hold_is_refused(tmp_path, count, chain):
    write_head(tmp_path, count, chain)
    with pytest.raises(CorruptModel, match="put back to an earlier state"):
        refuse_rollback(read_head(tmp_path), CHAINS)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"entries": "many", "chain": 1}', b"\xff"])
def test_a_head_that_cannot_be_read_is_refused(tmp_path, content):
    (tmp_path / ledger_file.HEAD).write_bytes(content)
    with pytest.raises(CorruptModel, match="cannot be read"):
        refuse_rollback(read_head(tmp_path), CHAINS)


def test_without_a_head_or_a_folder_there_is_nothing_to_compare(tmp_path):
    refuse_rollback(read_head(tmp_path), CHAINS)
    refuse_rollback(read_head(None), CHAINS)
    write_head(None, 3, "cc")


def test_a_head_that_cannot_be_written_is_a_typed_error(tmp_path):
    (tmp_path / ledger_file.HEAD).mkdir()
    with pytest.raises(WriteError, match=r"cannot write ledger.head"):
        write_head(tmp_path, 1, "aa")
    assert [path.name for path in tmp_path.iterdir()] == [ledger_file.HEAD]


def test_two_that_make_the_same_file_at_once_make_it_once(tmp_path):
    first, second = connect(tmp_path), connect(tmp_path)
    assert second.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone() == (4,)
    assert isinstance(first, sqlite3.Connection)
    first.close()
    second.close()
