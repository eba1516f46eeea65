"""Kept results: found again for the same tables, settings and seed, and for nothing else."""

import pyarrow as pa
import pytest

from understudy.metrics.missingness import Missingness
from understudy.result import Result
from understudy.study.kept import Kept, table_digest
from understudy.table.evidence import Evidence

ONE, OTHER = pa.table({"x": [1.5, None, 2.5]}), pa.table({"x": [1.5, None, 3.5]})
FOUND = Result("fidelity.missingness", 0.1, 0.0, 0.2, 0.05, "lower", True, per_record=(0.5, float("nan")))


def kept(folder, synthetic=OTHER, **more):
    return Kept(folder, Evidence(train=ONE, synthetic=synthetic, **more))


def test_what_was_put_is_found_again_for_its_owner_alone(tmp_path):
    folder = tmp_path / "work"
    kept(folder).put(Missingness(), 0, FOUND)
    found = kept(folder).find(Missingness(), 0)
    assert found.to_dict() == FOUND.to_dict() and found.per_record[0] == 0.5
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())


def test_other_tables_settings_and_seeds_are_something_else(tmp_path):
    kept(tmp_path).put(Missingness(), 0, FOUND)
    assert kept(tmp_path).find(Missingness(), 1) is None
    assert kept(tmp_path).find(Missingness(halves=7), 0) is None
    assert kept(tmp_path, synthetic=ONE).find(Missingness(), 0) is None
    assert kept(tmp_path, holdout=pa.table({"x": [7.5, 8.5]})).find(Missingness(), 0) is None


def test_what_failed_is_tried_again(tmp_path):
    failed = Result(
        "fidelity.missingness", *[float("nan")] * 4, "lower", True, notes=("not measured: no memory",)
    )
    kept(tmp_path).put(Missingness(), 0, failed)
    assert kept(tmp_path).find(Missingness(), 0) is None


def test_a_damaged_file_is_measured_again(tmp_path):
    kept(tmp_path).put(Missingness(), 0, FOUND)
    for path in tmp_path.iterdir():
        path.write_bytes(b'{"name": 3}')
    assert kept(tmp_path).find(Missingness(), 0) is None


def test_without_a_folder_nothing_is_kept():
    nowhere = kept(None)
    nowhere.put(Missingness(), 0, FOUND)
    assert nowhere.find(Missingness(), 0) is None


@pytest.mark.parametrize(
    "other",
    [
        {"x": [1.5, 2.5, 2.5]},
        {"x": [1.5, None, 2.5], "y": [1, 2, 3]},
        {"y": [1.5, None, 2.5]},
        {"x": [1, None, 2]},
    ],
)
def test_any_other_table_has_another_digest(other):
    assert table_digest(ONE) != table_digest(pa.table(other))
    assert table_digest(ONE) == table_digest(pa.table({"x": [1.5, None, 2.5]}))
