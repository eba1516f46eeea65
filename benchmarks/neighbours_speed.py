"""The k nearest rows: ours against scikit-learn's brute force and scipy's cdist, all exact, on one core.

A level that differs is two halves in L1, so that scikit-learn's Manhattan distance on range-scaled quantities
and halved one-hot columns is our mixed distance, as long as no value is missing or beyond the range.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import setting
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

import understudy as us
from understudy.engines.neighbours.mixed import Mixed
from understudy.engines.neighbours.search import nearest
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.distance import as_points
from understudy.measuring.encoder import Encoder
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

ROWS = 32_561
TURNS = 3


def main() -> None:
    """Print seconds of CPU time and ratios; on a shared machine wall seconds would say little."""
    arrow = us.read(setting.dataset("adult")).to_arrow()
    turned = pa.concat_tables([arrow.slice(ROWS), arrow]).slice(
        0, ROWS
    )  # its first half is not in the train part
    evidence = Evidence(train=arrow.slice(0, ROWS), synthetic=turned)
    real, other = evidence.coded("train"), evidence.coded("synthetic")
    print(f"{'Adult, one core, CPU seconds':<46} {'ours':>9} {'peer':>9}")
    mixed(real, other, 500, 20_000)  # the size of which the notes say: cdist and broadcasting 0.45 s
    mixed(real, other, 3_000, ROWS)
    straight(real, other, 3_000, ROWS)
    points = as_points(other), as_points(real)
    vectors = [Vectors(Encoder.fit(real, "range").matrix(side)) for side in (other, real)]
    asked = as_points(
        other.take(np.arange(10_000))
    )  # of which scikit-learn took 37 s, faiss 12 s; wanted: 3 s
    alone(f"mixed, 10,000 x {ROWS:,}, k=1", functools.partial(nearest, asked, points[1], 1))
    for k in (1, 20):
        alone(f"mixed, all {ROWS:,} x {ROWS:,}, k={k}", functools.partial(nearest, *points, k))
        alone(f"L2, all {ROWS:,} x {ROWS:,}, k={k}", functools.partial(nearest, *vectors, k))


def mixed(real: CodedTable, other: CodedTable, queries: int, candidates: int) -> None:
    """Compare the mixed distance with both peers."""
    asked, known = other.take(np.arange(queries)), real.take(np.arange(candidates))
    sides = [manhattan(side, real) for side in (asked, known)]
    peer = NearestNeighbors(n_neighbors=1, algorithm="brute", metric="manhattan", n_jobs=1).fit(sides[1])
    points = as_points(asked), as_points(known)
    what = f"mixed, {queries:,} x {candidates:,} x {len(real.domain)}, k=1"
    compare(what + ", sklearn", lambda: nearest(*points), lambda: peer.kneighbors(sides[0])[0][:, 0], "> 5x")
    compare(what + ", cdist", lambda: nearest(*points), lambda: broadcast(*points), "> 4x")


def straight(real: CodedTable, other: CodedTable, queries: int, candidates: int) -> None:
    """Compare L2 on the encoder's matrix; scikit-learn's is a matrix product as well."""
    encoder = Encoder.fit(real, "range")
    asked = encoder.matrix(other.take(np.arange(queries)))
    known = encoder.matrix(real.take(np.arange(candidates)))
    peer = NearestNeighbors(n_neighbors=1, algorithm="brute", n_jobs=1).fit(known)
    what = f"L2, {queries:,} x {candidates:,} x {asked.shape[1]}, k=1, sklearn"
    points = Vectors(asked), Vectors(known)
    compare(what, lambda: nearest(*points), lambda: peer.kneighbors(asked)[0][:, 0], "about 1x")


def broadcast(asked: Mixed, known: Mixed) -> np.ndarray:
    """Return nearest distances by cdist for quantities and broadcast inequality for codes, in blocks."""
    found = []
    for start in range(0, len(asked), 100):
        block = asked.take(np.arange(start, min(start + 100, len(asked))))
        ways = cdist(block.quantities / block.spans, known.quantities / known.spans, "cityblock")
        ways += (block.codes[:, None, :] != known.codes[None]).sum(axis=2)
        found.append(ways.min(axis=1))
    return np.concatenate(found)


def manhattan(table: CodedTable, real: CodedTable) -> np.ndarray:
    """Return quantities over their range and levels, missing ones too, as halved one-hot columns."""
    encoder = Encoder.fit(real, "range")
    weights = [1.0 if label in {c.name for c in real.quantities} else 0.5 for label in encoder.labels]
    return encoder.matrix(table) * np.array(weights)


def compare(what: str, ours: Callable[[], Any], theirs: Callable[[], np.ndarray], wanted: str) -> None:
    """Check that both find the same distances, and print one line."""
    turns = [(seconds(ours), seconds(theirs)) for _ in range(TURNS)]
    (_, mine), (_, peer) = turns[0]
    assert np.allclose(mine.distances[:, 0], peer, atol=1e-6), "the distances differ"
    first, second = (float(np.median([turn[side][0] for turn in turns])) for side in (0, 1))
    setting.ratio(what, first, second, wanted)


def alone(what: str, work: Callable[[], object]) -> None:
    """Print one line without a peer, which would take minutes."""
    print(f"{what:<46} {seconds(work)[0]:9.3f}")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of one run and what it gave."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
