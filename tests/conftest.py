"""What every test may use, and how property tests behave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Processes that run tests side by side share the cores: threads of their own would wait for each other, and
# small networks take several times as long. Set before anything loads numpy or torch; children inherit it.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shared machine is slow at odd moments, and a failure must come back on the next run.
settings.register_profile(
    "house", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of real tables; a test that needs it is skipped where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "datasets"
    folder = Path(os.environ.get("UNDERSTUDY_DATASETS", beside))
    if not folder.is_dir():
        pytest.skip("the folder of real tables is absent; set UNDERSTUDY_DATASETS to its path")
    return folder


@pytest.fixture
def cores() -> Iterator[Callable[[int], None]]:
    """Let torch have so many threads for one test."""
    import torch

    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)
