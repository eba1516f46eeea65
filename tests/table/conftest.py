"""What the tests of tables share: a PostgreSQL server, where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    reason = postgres.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgres.running() as started:
        yield started
