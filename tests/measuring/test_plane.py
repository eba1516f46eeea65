"""Rows on a plane: neighbours stay beside each other, and those on top are all shown."""

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.measuring.plane import plane_of
from understudy.result import Result
from understudy.table.evidence import Evidence


def clusters(rows=300):
    rng = np.random.default_rng(0)
    which = np.arange(rows) % 3
    cells = rng.normal(size=(rows, 4)) * 0.1 + which[:, None] * np.array([3.0, -3.0, 2.0, 5.0])
    table = pa.table({f"x{column}": cells[:, column] for column in range(4)})
    return Evidence(train=table, synthetic=table), which


def found(scores):
    return Result("privacy.toy", 0.5, 0.4, 0.6, 0.5, "lower", True, per_record=tuple(scores))


def test_rows_of_one_cluster_lie_together():
    evidence, which = clusters()
    plane = plane_of(found(np.arange(300.0)), evidence)
    gaps = np.linalg.norm(plane.points[:, None] - plane.points[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert (which[gaps.argmin(1)] == which).all()
    assert np.flatnonzero(plane.risky).tolist() == [297, 298, 299]


def test_a_part_of_the_rows_holds_all_that_are_on_top_and_the_seed_decides_the_rest():
    evidence, _ = clusters()
    scores = np.where(np.arange(300) % 7 == 0, np.nan, np.arange(300.0))
    plane = plane_of(found(scores), evidence, rows=40, share=0.05)
    assert len(plane.places) == 40
    assert not np.isnan(scores[plane.places]).any()
    assert plane.risky.sum() == round(0.05 * (~np.isnan(scores)).sum())
    again, other = (plane_of(found(scores), evidence, rows=40, share=0.05, seed=seed) for seed in (0, 1))
    assert np.array_equal(plane.points, again.points)
    assert not np.array_equal(plane.places, other.places)


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_few_rows_have_a_place_too(rows):
    table = pa.table({"x": np.arange(rows, dtype=float)})
    plane = plane_of(found(np.arange(rows)), Evidence(train=table, synthetic=table))
    assert plane.points.shape == (rows, 2)
    assert np.isfinite(plane.points).all()


def test_what_cannot_be_drawn_is_refused():
    evidence, _ = clusters(9)
    with pytest.raises(ParameterError, match="no score per record"):
        plane_of(Result("privacy.toy", 0.5, 0.4, 0.6, 0.5, "lower", True), evidence)
    with pytest.raises(ParameterError, match="another table"):
        plane_of(found((1.0, 2.0)), evidence)
    with pytest.raises(ParameterError, match="rows"):
        plane_of(found(np.arange(9)), evidence, rows=1)
