"""Kill -9 at every call of a private run: the ledger is whole, nothing is free, nothing is paid for twice."""

from __future__ import annotations

import pytest

from privacy.kill import sweep

pytestmark = pytest.mark.skipif(sweep.STRACE is None, reason="strace is not installed; it injects the kills")

FEW = 12


@pytest.fixture(scope="module")
def every_point(tmp_path_factory):
    return sweep.points(tmp_path_factory.mktemp("unharmed"))


def spread(points, count):
    """Return some points from all over the run, those that change the disk first."""
    changing = [
        p for p in points if p.call in {"write", "pwrite64", "fsync", "fdatasync", "unlink", "rename"}
    ]
    return changing[:: max(1, len(changing) // count)][:count]


def check_kill(folder, point):
    """Kill at a point, look, run again, look again; return whether the kill came."""
    folder.mkdir()
    came = sweep.killed(folder, point)
    assert sweep.problems(folder) == [], f"after the kill at {point}"
    before = sweep.releases(folder)
    done = sweep.again(folder)
    assert done.returncode == 0, f"the restart after {point} failed: {done.stdout}{done.stderr}"
    assert sweep.problems(folder) == [], f"after the restart that followed {point}"
    after = sweep.releases(folder)
    assert len(after) == 3
    assert all(after[number] == values for number, values in before.items())
    return came


def check_fault(folder, point, fault):
    """Fail one call, look, run again, look again; return whether the call failed."""
    folder.mkdir()
    came, done = sweep.failed(folder, point, fault)
    assert done.returncode in {0, 3}, f"{fault} at {point}: {done.stdout}{done.stderr}"
    assert sweep.problems(folder) == [], f"after {fault} at {point}"
    again = sweep.again(folder)
    assert again.returncode == 0, f"the restart after {fault} at {point} failed: {again.stdout}{again.stderr}"
    assert sweep.problems(folder) == [], f"after the restart that followed {fault} at {point}"
    return came


def all_but_a_few(came):
    """Nearly every kill or fault must have come; calls before the run vary by one or two."""
    assert sum(came) >= 0.9 * len(came) > 0, f"only {sum(came)} of {len(came)} came"


def test_there_are_at_least_a_hundred_points(every_point):
    assert len(every_point) >= 100
    assert {"pwrite64", "fdatasync", "unlink", "rename", "openat"} <= {point.call for point in every_point}


def test_a_kill_at_some_points_costs_nothing_and_gives_nothing_away(every_point, tmp_path):
    came = [check_kill(tmp_path / str(n), point) for n, point in enumerate(spread(every_point, FEW))]
    all_but_a_few(came)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_kill_at_every_point_costs_nothing_and_gives_nothing_away(every_point, tmp_path):
    came = [check_kill(tmp_path / str(n), point) for n, point in enumerate(every_point)]
    all_but_a_few(came)
    assert sum(came) >= 100


@pytest.mark.parametrize("fault", sweep.FAULTS)
def test_a_full_or_broken_disk_at_some_points_is_a_typed_error_and_nothing_is_lost(
    every_point, tmp_path, fault
):
    few = spread(every_point, 3)
    all_but_a_few([check_fault(tmp_path / str(n), point, fault) for n, point in enumerate(few)])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("fault", sweep.FAULTS)
def test_a_full_or_broken_disk_at_every_point_is_a_typed_error_and_nothing_is_lost(
    every_point, tmp_path, fault
):
    touched = [p for p in every_point if p.call not in {"close", "lseek", "read", "newfstatat", "fcntl"}]
    all_but_a_few([check_fault(tmp_path / str(n), point, fault) for n, point in enumerate(touched)])


def test_a_folder_that_must_not_be_written_is_a_typed_error(every_point, tmp_path):
    point = next(p for p in every_point if p.call == "mkdir")
    for fault in ("EROFS", "EACCES"):
        came, done = sweep.failed(tmp_path, point, fault)
        assert came
        assert done.returncode == 3
        assert "WriteError ledger: cannot write into" in done.stdout


def test_the_sweep_catches_a_run_that_pays_after_it_reads(tmp_path):
    (tmp_path / "unharmed").mkdir()
    points = sweep.points(tmp_path / "unharmed", "debit-after-use")
    caught = []
    for number, point in enumerate([p for p in points if p.call == "fsync"][1:4]):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert sweep.killed(folder, point, "debit-after-use")
        caught += sweep.problems(folder)
        sweep.again(folder, "debit-after-use")
        caught += sweep.problems(folder)
    assert "something was told that was not paid for" in caught
    assert "the same read was told with two different noises, and paid for once" in caught
