"""Wasserstein fidelity against POT's exact solution: error and seconds, pair by pair and for all of Adult.

Seconds are CPU seconds of one thread, so that a busy machine does not flatter either side.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import ot
import setting

import understudy as us
from understudy.engines.transport.exact import ground
from understudy.engines.transport.flow import one_thread
from understudy.metrics.wasserstein import Wasserstein
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence

ROWS = 3_000
Pair = list[np.ndarray]


def main() -> None:
    """Print errors, seconds and ratios."""
    with one_thread():
        synthetic_pairs()
        adult(every="--all" in sys.argv)


def synthetic_pairs() -> None:
    """Pairs of columns of known shape and of the dry beans: fresh, independent and shifted."""
    print(f"{'3,000 x 3,000 rows':<38} {'exact':>8} {'error':>9} {'ours s':>8} {'POT s':>7} {'ratio':>6}")
    found = [compare(name, first, second) for name, first, second in cases()]
    errors, ours, theirs = (np.array(column) for column in zip(*found, strict=True))
    print(f"largest error {np.abs(errors).max():.5f}, root mean square {np.sqrt((errors**2).mean()):.5f}")
    setting.ratio(f"all {len(found)} pairs, CPU seconds", ours.sum(), theirs.sum(), "100x")


def compare(name: str, first: Pair, second: Pair) -> tuple[float, float, float]:
    """Return the error, our seconds and POT's seconds of one pair; ours include both one-way marginals."""
    domain = tuple(
        CodedColumn(f"{place}", quantity=True, low=0.0, high=1.0)
        if column.dtype.kind == "f"
        else CodedColumn(f"{place}", levels=8, known=8)
        for place, column in enumerate(first)
    )
    tables = [CodedTable(domain, {"0": pair[0], "1": pair[1]}) for pair in (first, second)]
    kind = "quantity_quantity" if domain[0].quantity else "category_quantity"
    rng = np.random.default_rng(0)
    ours, seconds = timed(lambda: Wasserstein().score(tables[0], tables[1], rng).parts[kind])
    exact, theirs = timed(lambda: ot.emd2([], [], ground(first, second), numItermax=1_000_000))
    print(
        f"{name:<38} {exact:8.5f} {ours - exact:+9.5f} {seconds:8.4f} {theirs:7.2f} {theirs / seconds:6.0f}"
    )
    return ours - exact, seconds, theirs


def timed(work: Callable[[], float]) -> tuple[float, float]:
    """Return what work gives, and its CPU seconds."""
    start = time.process_time()
    value = float(work())
    return value, time.process_time() - start


def cases() -> Iterator[tuple[str, Pair, Pair]]:
    """Yield named pairs of two columns each, in units of their joint range."""
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(2 * ROWS, 2)) @ np.array([[1, 0.6], [0, 0.8]])
    level = rng.integers(8, size=2 * ROWS)
    bean = us.read(setting.dataset("bean")).to_pandas().select_dtypes("number").to_numpy(float)
    bean = bean[rng.permutation(len(bean))[: 2 * ROWS]]
    made = {
        "normal": list(normal.T),
        "uniform": list(rng.random((2, 2 * ROWS))),
        "bean area, perimeter": list(bean[:, :2].T),
        "bean compactness, extent": [bean[:, 11], bean[:, 8]],
        "8 levels and a number": [level, (rng.random(2 * ROWS) + level / 8) / 2],
    }
    for name, columns in made.items():
        scaled = [scale(column) if column.dtype.kind == "f" else column for column in columns]
        first, second = [column[:ROWS] for column in scaled], [column[ROWS:] for column in scaled]
        yield f"{name}: fresh", first, second
        yield f"{name}: independent", first, [second[0], rng.permutation(second[1])]
        yield f"{name}: shifted", first, [second[0], second[1] * 0.95]


def scale(column: np.ndarray) -> np.ndarray:
    """Return a column in units of its range."""
    return (column - column.min()) / np.ptp(column)


def adult(every: bool) -> None:
    """All 120 marginals of Adult: 3,000 rows of each table against POT, then all rows."""
    table = us.read(setting.dataset("adult")).to_pandas().iloc[:32_561]
    stand_in = us.synth.get("histogram")().fit(table, progress=False).sample(32_561)
    evidence = Evidence(train=table, synthetic=stand_in)
    real, synthetic = evidence.coded("train"), evidence.coded("synthetic")
    measure, rng = Wasserstein(), np.random.default_rng(0)
    few = real.draw(ROWS, rng), synthetic.draw(ROWS, rng)
    value, ours = timed(lambda: measure.score(*few, rng).value)
    against_pot(measure, few, ours, 1 if every else 6)
    print(f"{'Adult, 120 marginals':<30} value {value:.5f} of 3,000 rows in {ours:.2f} s (wanted: under 10)")
    value, seconds = timed(lambda: measure.score(real, synthetic, rng).value)
    print(f"{'':<30} value {value:.5f} of 32,561 rows in {seconds:.2f} s")
    start = time.process_time()
    result = measure(evidence)
    interval = f"{result.value:.5f} [{result.low:.5f}, {result.high:.5f}], null {result.null:.5f}"
    print(f"{'whole measure':<30} {interval}, {time.process_time() - start:.1f} CPU s (wanted: under 60)")
    floor(real, measure)


def against_pot(measure: Wasserstein, few: tuple[CodedTable, CodedTable], ours: float, step: int) -> None:
    """Solve every so many pairs that need solving by POT; print errors and the ratio for all of them."""
    pairs = [pair for pair in few[0].pairs() if any(column.quantity for column in pair)][::step]
    errors, theirs = [], 0.0
    for pair in pairs:
        alone = [CodedTable(pair, {c.name: table[c.name] for c in pair}) for table in few]
        parts = measure.score(alone[0], alone[1], np.random.default_rng(0)).parts
        columns = [[table[c.name] / c.span if c.quantity else table[c.name] for c in pair] for table in alone]
        exact, seconds = timed(
            lambda columns=columns: ot.emd2([], [], ground(*columns), numItermax=1_000_000)
        )
        kind = "quantity_quantity" if all(column.quantity for column in pair) else "category_quantity"
        errors.append(parts[kind] - exact)
        theirs += seconds * step
    print(f"{len(pairs)} of Adult's 69 solved pairs: largest error {np.abs(errors).max():.5f}")
    setting.ratio("Adult, all marginals, CPU seconds", ours, theirs, "100x, under 10 s")


def floor(real: CodedTable, measure: Wasserstein) -> None:
    """Print what real rows score against real rows, by their number: the noise that a value contains."""
    rng = np.random.default_rng(0)
    for rows in (1_000, 3_000, 10_000, 32_561):
        scores = [measure.score(real.redraw(rows, rng), real.redraw(rows, rng), rng).value for _ in range(5)]
        found = f"{np.mean(scores):.5f} +- {np.std(scores, ddof=1):.5f}"
        print(f"{'real against real':<30} {rows:>6,} rows: {found}")


if __name__ == "__main__":
    main()
