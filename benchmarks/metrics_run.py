"""The standard level on Adult and on 1,000,000 x 20 rows: seconds, forecasts, peak memory of all processes.

metrics_run.py             the standard level, both tables
metrics_run.py --learn     time every measure at several sizes and write what the forecasts start from
metrics_run.py --learn attacks   the same of every attack that trains no shadow models
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.optimize import lsq_linear
from setting import dataset

import understudy as us
from understudy.measuring.forecast import makespan, sizes, yardstick
from understudy.measuring.running import cores

LEVEL = "standard"
SHORTEST = 0.05  # seconds; `constraints`, for one, has nothing to do where no rule is declared
COSTS = Path(us.__file__).parent / "measuring" / "costs.json"


def main() -> None:
    """Run both tables, or learn the costs."""
    if sys.argv[1:2] == ["--learn"]:
        if sys.argv[2:] == ["attacks"]:
            learn("attacks", us.attacks.at(LEVEL))
        else:
            learn("metrics", us.metrics.names())
        return
    wanted = sys.argv[1:] or ["adult", "million"]
    if "adult" in wanted:
        judge("adult, 32,561 rows each", adult(), "5 min, 4 GiB")
    if "million" in wanted:
        judge("1,000,000 x 20 rows each", million(1_000_000), "ends, 4 GiB")


def adult(rows: int = 32_561, columns: int = 15) -> us.Evidence:
    """The train part, the rest as holdout, and a Gaussian copula of the former as stand-in."""
    table = us.read(dataset("adult")).to_arrow()
    table = table.select(table.schema.names[-columns:])
    train, holdout = table.slice(0, 32_561).slice(0, rows), table.slice(32_561).slice(0, rows // 2)
    model = us.synth.get("gaussian_copula")().fit(us.Table(train), progress=False)
    return us.Evidence(
        train=train, holdout=holdout, synthetic=model.sample_table(rows, 0), target=table.schema.names[-1]
    )


def million(rows: int) -> us.Evidence:
    """Two mixed tables of 20 columns, the stand-in without the links between groups of columns."""
    rng = np.random.default_rng(0)
    return us.Evidence(train=_mixed(rows, rng, 1.0), synthetic=_mixed(rows, rng, 0.7), target="level_0")


def _mixed(rows: int, rng: np.random.Generator, link: float) -> pa.Table:
    base = rng.standard_normal(rows)
    columns = {}
    for place in range(10):
        noise = rng.standard_normal(rows)
        columns[f"number_{place}"] = pa.array(np.round(link * base + noise, 3), mask=rng.random(rows) < 0.02)
    for place, size in enumerate((2, 3, 5, 8, 12, 20, 30, 50, 100, 200)):
        words = pa.array([f"level {code}" for code in range(size)])
        spread = (link * base + rng.standard_normal(rows) + 4) / 8 * size
        columns[f"level_{place}"] = words.take(pa.array(np.clip(spread, 0, size - 1).astype(np.int32)))
    return pa.table(columns)


def judge(what: str, evidence: us.Evidence, wanted: str) -> None:
    """Run the level, watch the memory, print a line per measure."""
    names = us.metrics.at(LEVEL)
    foreseen = us.metrics.forecast(evidence, LEVEL)
    load = os.getloadavg()[0]
    with Watch() as watch:
        start, spent = time.perf_counter(), processor_time()
        results = us.metrics.run(evidence, LEVEL)
        seconds, spent = time.perf_counter() - start, processor_time() - spent
    print(f"{what}: {len(results)} measures, {cores()} cores, load {load:.1f} before")
    for name, result in sorted(zip(names, results, strict=True), key=lambda pair: -pair[1].seconds):
        spread = f"{result.value:9.4f} ({result.low:.4f} to {result.high:.4f})"
        said = [note for note in result.notes if "were drawn" in note or note.startswith("not measured")]
        times = f"{result.seconds:7.2f} s  foreseen {foreseen[name]:7.2f} s"
        print(f"  {name:<22} {times}  {spread:<30} {'; '.join(said)}")
    end, peak = makespan(list(foreseen.values()), cores()), watch.peak / 2**30
    print(f"  whole  {seconds:7.1f} s (foreseen {end:.1f})   peak {peak:.2f} GiB   (wanted: {wanted})")
    print(f"  processor time {spent:.1f} s: on {cores()} idle cores {spent / cores():.1f} s at best")


def processor_time() -> float:
    """Return the seconds that this process and the children it has outlived have computed."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)


class Watch:
    """The largest sum of the private and shared memory of this process and its children."""

    def __enter__(self) -> Watch:
        self.peak, self._going = 0, True
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._going = False
        self._thread.join()

    def _look(self) -> None:
        while self._going:
            # A page that several processes share counts once in all: its proportional share in each.
            self.peak = max(self.peak, sum(_proportional(pid) for pid in _family(os.getpid())))
            time.sleep(0.2)


def _family(parent: int) -> list[int]:
    found = [parent]
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path(f"/proc/{name}/stat").read_text()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == parent:
            found.append(int(name))
    return found


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def learn(room: str, names: list[str]) -> None:
    """Time measures at several sizes, fit how the seconds grow, and write them down beside the others.

    Processor time of one thread: on a busy machine it is what the clock would show on an idle one. What was
    learned before stays, told in the speed of the machine that it was learned on.
    """
    stored = json.loads(COSTS.read_text())
    tables = [adult(1_000), adult(4_000), adult(16_000), adult(4_000, 8), million(4_000), million(24_000)]
    timed: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    sticks = []
    judges = getattr(us, room)
    for evidence in map(_with_reference, tables):
        sticks += [yardstick() for _ in range(10)]
        for name, times in timed.items():
            start = time.process_time()
            (result,) = judges.run(evidence, names=[name], workers=0)
            seconds = time.process_time() - start
            grown = sizes(judges.get(name)(), evidence)
            times.append((max(seconds, SHORTEST), *grown))
            print(
                f"  {name:<22} {len(evidence.table('train')):>6} rows {seconds:7.2f} s  {result.value:.4f}",
                flush=True,
            )
    pace = stored["yardstick"] / min(sticks)
    fresh = {name: [round(cost[0] * pace, 4), *cost[1:]] for name, cost in _costs(timed).items()}
    costs = dict(sorted((stored["costs"] | fresh).items()))
    lines = ",\n".join(f'  "{name}": {json.dumps(cost)}' for name, cost in costs.items())
    COSTS.write_text(f'{{"yardstick": {stored["yardstick"]:.5f}, "costs": {{\n{lines}\n}}}}\n')


def _costs(timed: dict[str, list[tuple[float, ...]]]) -> dict[str, list[float]]:
    return {name: _powers(times) for name, times in timed.items()}


def _with_reference(evidence: us.Evidence) -> us.Evidence:
    """Return the evidence with rows for adversaries: half of the holdout, or fresh rows of the same law."""
    train, synthetic = (evidence.table(role).to_arrow() for role in ("train", "synthetic"))
    rest = evidence.table("holdout").to_arrow() if evidence.has("holdout") else _mixed_rest(len(train))
    half = len(rest) // 2
    return us.Evidence(
        train=train,
        synthetic=synthetic,
        holdout=rest.slice(0, half),
        reference=rest.slice(half),
        target=evidence.target,
    )


def _mixed_rest(rows: int) -> pa.Table:
    return _mixed(rows, np.random.default_rng(1), 1.0)


def _powers(times: list[tuple[float, ...]]) -> list[float]:
    """Return the seconds at the reference size and the powers with which they grow: least squares of logs.

    No measure gets faster as tables grow, and none is known to grow faster than a square.
    """
    logs = np.log(np.array(times))
    design = np.column_stack([np.ones(len(logs)), logs[:, 1:]])
    limits = np.array([-np.inf, 0, 0, 0]), np.array([np.inf, 2, 2, 2])
    found = lsq_linear(design, logs[:, 0], limits).x
    return [round(float(np.exp(found[0])), 4), *(round(float(power), 3) for power in found[1:])]


if __name__ == "__main__":
    main()
