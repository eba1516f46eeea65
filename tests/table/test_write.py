from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.errors import InputError, UnderstudyError, WriteError
from understudy.table.read import ENDINGS, read
from understudy.table.write import write

TABLE = pa.table({"age": [31, None], "name": ["=1+1", "b"]})


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_back(tmp_path, ending):
    path = write(TABLE, tmp_path / f"a{ending}", raw_csv=True)
    assert read(path).to_arrow().to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_gives_the_same_bytes(tmp_path, ending):
    paths = [write(TABLE, tmp_path / f"{name}{ending}", raw_csv=False) for name in "ab"]
    assert len({hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}) == 1


def test_formulas_are_guarded_in_csv_unless_raw(tmp_path):
    assert b"'=1+1" in write(TABLE, tmp_path / "a.csv", raw_csv=False).read_bytes()
    assert b"'=1+1" not in write(TABLE, tmp_path / "b.csv", raw_csv=True).read_bytes()
    assert b"'=1+1" in gzip.decompress(write(TABLE, tmp_path / "a.csv.gz", raw_csv=False).read_bytes())


def test_a_tsv_is_separated_by_tabs(tmp_path):
    assert write(TABLE, tmp_path / "a.tsv", raw_csv=False).read_bytes().startswith(b"age\tname\n")


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_the_mark_on_the_schema_is_preserved(tmp_path, ending):
    marked = TABLE.replace_schema_metadata({"understudy": "synthetic", "other": "too"})
    path = write(marked, tmp_path / f"a{ending}", raw_csv=False)
    found = pq.read_schema(path) if ending == ".parquet" else pa.ipc.open_file(path).schema
    assert found.metadata[b"understudy"] == b"synthetic"
    assert found.metadata[b"other"] == b"too"


@pytest.mark.parametrize("name", ["a", "a.xlsx", "a.csv.zip", "a.gz", "csv", "a.json", "a.csv "])
def test_an_unknown_ending_is_refused_with_the_list(tmp_path, name):
    with pytest.raises(InputError, match=r"\.parquet"):
        write(TABLE, tmp_path / name, raw_csv=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(WriteError, match="folder"):
        write(TABLE, tmp_path / "a.csv", raw_csv=False)
    with pytest.raises(WriteError):
        write(TABLE, tmp_path / "gone" / "a.csv", raw_csv=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


BAD = pa.table({"x": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])})


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"old")
    with pytest.raises(UnderstudyError):
        write(BAD, path, raw_csv=False)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_is_given_back(tmp_path):
    assert write(TABLE, Path(tmp_path, "a.csv"), raw_csv=False) == tmp_path / "a.csv"
