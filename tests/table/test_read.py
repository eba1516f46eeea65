from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from understudy.errors import FrameError, InputError, ParameterError, ReadError, SqlError, UnderstudyError
from understudy.table.read import ENDINGS, ending_of, read
from understudy.table.table import Table

CANARY = "canary-3a77"
TABLE = pa.table({"age": [31, None], "sex": ["F", "M"]})


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_that_is_written_is_read_back(tmp_path, ending):
    path = Table(TABLE).write(tmp_path / f"people{ending}")
    for source in (path, str(path)):
        table = read(source)
        assert table.to_arrow().to_pydict() == TABLE.to_pydict()
        assert table.frame is None


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.csv", ".csv"), ("a.CSV", ".csv"), ("a.csv.gz", ".csv.gz"), ("a.b.Parquet", ".parquet"), ("a", None),
     ("csv", None), ("a.gz", None), ("a.xlsx", None), ("a.csv.zip", None), (".parquet", ".parquet")],
)  # fmt: skip
def test_the_ending_names_the_format(name, ending):
    assert ending_of(Path(name)) == ending


def test_a_table_is_returned_as_it_is():
    table = Table(TABLE)
    assert read(table) is table


@pytest.mark.parametrize("frame", [TABLE.to_pandas(), pl.from_arrow(TABLE), TABLE, TABLE.to_batches()[0]])
def test_a_frame_is_read_and_its_kind_remembered(frame):
    table = read(frame)
    assert table.names == ["age", "sex"]
    assert table.frame is not None
    assert type(table.frame.restore(table.to_arrow())) is type(frame)


def test_csv_settings_reach_the_csv_reader(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("né;x\n1;NA\n2;'=a\n".encode("latin-1"))
    table = read(path, delimiter=";", encoding="latin-1", missing=["NA"], guarded=True)
    assert table.to_arrow().to_pydict() == {"né": [1, 2], "x": [None, "=a"]}


def test_a_tsv_may_have_another_delimiter(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a;b\n1;2\n")
    assert read(path, delimiter=";").names == ["a", "b"]


SETTINGS = [{"delimiter": ";"}, {"encoding": "utf-8"}, {"missing": ["NA"]}, {"guarded": True}]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: next(iter(settings)))
@pytest.mark.parametrize("kind", [".parquet", ".arrow", ".feather", ".ipc", "frame", "table", "sqlite"])
def test_csv_settings_for_another_source_are_refused(tmp_path, settings, kind):
    source = {"frame": TABLE, "table": Table(TABLE), "sqlite": "sqlite:///x.db?table=t"}.get(kind)
    if source is None:
        source = Table(TABLE).write(tmp_path / f"a{kind}")
    with pytest.raises(ParameterError, match="CSV"):
        read(source, **settings)


@pytest.mark.parametrize(
    "settings",
    [{"delimiter": ""}, {"delimiter": 1}, {"delimiter": b","}, {"encoding": ""}, {"encoding": 8},
    {"missing": "NA"},
     {"missing": [1]}, {"missing": 3}, {"missing": None}, {"guarded": 1}, {"guarded": "yes"},
     {"guarded": None},
     {"delimiter": ";;"}, {"encoding": "no-such-codec"}],
    ids=str,
)  # fmt: skip
def test_settings_of_the_wrong_kind_are_refused(tmp_path, settings):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with pytest.raises(InputError):
        read(path, **settings)


NO_FILES = ["", ".", "..", "/", "gone.csv", "gone.parquet", "folder", "folder.csv", "empty.csv",
"empty.parquet",
            "empty.arrow", "a.xlsx", "a", "a.gz", "a.json", "nul\0.csv", "x" * 5000 + ".csv", "pipe.csv",
            "link.csv",
            "text.parquet", "text.arrow", "text.feather", "text.ipc", "dir/../gone.csv", "~/gone.csv",
            "C:\\gone.csv", "*.csv", "a.csv?table=x", "text.csv.gz.parquet"]  # fmt: skip


@pytest.mark.parametrize("name", NO_FILES, ids=lambda name: name[:20])
def test_what_is_no_table_on_disk_is_refused_with_a_reason(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "folder.csv"):
        Path(folder).mkdir()
    for empty in ("empty.csv", "empty.parquet", "empty.arrow"):
        Path(empty).touch()
    for text in ("a", "a.xlsx", "a.gz", "a.json", "text.parquet", "text.arrow", "text.feather", "text.ipc"):
        Path(text).write_text(f"{CANARY}\n")
    Path("text.csv.gz.parquet").write_text(CANARY)
    os.mkfifo("pipe.csv")
    Path("link.csv").symlink_to("nowhere.csv")
    with pytest.raises(ReadError) as caught:
        read(name)
    assert CANARY not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_mistyped_url_is_never_printed_as_a_path():
    for url in ("postgresql:/me:{0}@host/db", " postgresql://me:{0}@host/db?table=t",
    "mysql://me:{0}@host/db?table=t",
                "postgresql+psycopg2://me:{0}@host/db?table=t", "postgresql://me:{0}@host/db",
                "http://me:{0}@host/a.csv",
                "postgresql://me:{0}@x@host:badport/db?table=t",
                "POSTGRESQL://me:{0}@h:99999999/db?table=t"):  # fmt: skip
        for source in (url.format(CANARY), Path(url.format(CANARY))):
            with pytest.raises(SqlError) as caught:
                read(source)
            assert CANARY not in str(caught.value)


def test_a_path_without_permission_is_refused(tmp_path, monkeypatch):
    path = Table(TABLE).write(tmp_path / "a.parquet")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReadError, match="Permission denied"):
        read(path)


@pytest.mark.parametrize(
    "source",
    [None, 1, 1.5, b"a.csv", ["a.csv"], {"a": [1]}, object(), pd.Series([1])],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_source_is_refused(source):
    with pytest.raises(FrameError):
        read(source)


def test_every_refusal_is_one_of_ours():
    assert issubclass(SqlError, UnderstudyError)
    assert SqlError("x").exit_code == ParameterError("x").exit_code == 2
