"""An audit of every private method of marginals: many fits of two neighbouring tables, with the real noise.

What an attacker sees of each fit bounds epsilon and mu from below, at 99.9 % confidence; both must stay under
what the certificate allows. With --halved the noise of all counts is half of what is paid for: the same audit
must then find some method out. With --keep, what was seen is kept in a folder, and runs add to it.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from understudy.measuring.bounds import bounds_of, bounds_of_several
from understudy.privacy import Budget, Certificate
from understudy.privacy.closed_forms import epsilon_of_mu
from understudy.privacy.discrete import discrete_gaussian
from understudy.privacy.mechanisms import counts, interactions
from understudy.privacy.stream import Stream
from understudy.testing.audited import bare, declared, marginal_methods
from understudy.testing.two_worlds import observed, outcomes

WORLDS = {"declared": declared(), "bare": bare()}
DELTA = 1e-9
CHUNK = 250
Seen = dict[str, npt.NDArray[np.float64]]
Case = tuple[str, str, float, bool]  # method, worlds, epsilon, noise halved


def main() -> None:
    """Fit, and print one line per case; the worst of them decides."""
    asked = arguments()
    head = f"{'method':<17} {'worlds':<9} {'epsilon':>7} {'fits':>7} {'about mu':>9}"
    print(f"{head}   at least: epsilon, epsilon by mu, mu (allowed)")
    with ProcessPoolExecutor(asked.processes, initializer=partial(os.nice, asked.nice)) as pool:
        fine = [
            tell(case, *audited(case, asked, pool))
            for epsilon in asked.epsilon
            for worlds in asked.worlds
            for method in asked.methods
            for case in [(method, worlds, epsilon, asked.halved)]
        ]
    print(
        "all within their certificates" if all(fine) else f"{fine.count(False)} are NOT as private as stated"
    )


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fits", type=int, default=250, help="per method, table and epsilon")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 4.0, 0.5])
    parser.add_argument("--methods", nargs="+", default=list(marginal_methods()))
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=np.inf, help="stop fitting after so long, and judge")
    parser.add_argument("--halved", action="store_true", help="plant a bug: half the noise on counts")
    parser.add_argument("--keep", type=Path, default=None)
    asked = parser.parse_args()
    asked.until = time.monotonic() + asked.seconds
    return asked


def audited(case: Case, asked: argparse.Namespace, pool: ProcessPoolExecutor) -> tuple[Seen, Seen]:
    """Return what was seen without the row and with it: what is kept, and new fits up to the number asked."""
    kept = asked.keep / f"{'-'.join(map(str, case))}.npz" if asked.keep else None
    seen = _loaded(kept)
    tasks = [
        (case, having, size)
        for size in _sizes(asked.fits - len(seen[0].get("released", ())))
        for having in (False, True)
    ]
    found = list(pool.map(partial(fits, until=asked.until), tasks))
    both = tuple(_joined([seen[having], *found[having::2]]) for having in (0, 1))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(
            kept, **{f"{having}.{name}": values for having in (0, 1) for name, values in both[having].items()}
        )
    return both[0], both[1]


def fits(task: tuple[Case, bool, int], until: float) -> Seen:
    """Fit one world so many times; the seeds are new in every call and have no part in the noise."""
    (method, worlds, epsilon, halved), having, size = task
    if time.monotonic() > until:
        return {}
    first = int(np.random.SeedSequence().generate_state(1)[0])
    noise = half_the_noise if halved else discrete_gaussian
    with (
        patch.object(counts, "discrete_gaussian", noise),
        patch.object(interactions, "discrete_gaussian", noise),
    ):
        return outcomes(
            marginal_methods()[method],
            WORLDS[worlds],
            Budget(epsilon=epsilon, delta=DELTA),
            having=having,
            seeds=range(first, first + size),
        )


def half_the_noise(stream: Stream, sigma: float, shape: Any) -> Any:
    """Draw what a mechanism would that forgot a factor of two."""
    return discrete_gaussian(stream, sigma / 2, shape)


def tell(case: Case, without: Seen, having: Seen) -> bool:
    """Print what one case shows and return whether it is within its certificate."""
    method, worlds, epsilon, _ = case
    if min(len(without.get("released", ())), len(having.get("released", ()))) < 4:
        print(f"{method:<17} {worlds:<9} {epsilon:7g}   no fits")
        return True
    claim = certificate(method, worlds, epsilon)
    one = bounds_of(without["released"], having["released"], delta=DELTA)
    all_of_them = bounds_of_several(without, having, delta=DELTA)
    words = [
        f"{each.epsilon:.3f}, {epsilon_of_mu(each.mu, DELTA) if each.mu > 0 else 0:.3f} by mu, "
        f"{each.mu:.3f} ({each.allowed(claim):.3f})"
        for each in (one, all_of_them)
    ]
    number = min(len(without["released"]), len(having["released"]))
    fine = one.within(claim) and all_of_them.within(claim)
    start = f"{method:<17} {worlds:<9} {epsilon:7g} {number:7,} {distance(without, having):9.3f}"
    print(f"{start}   {'   union: '.join(words)}  {'' if fine else 'ABOVE'}", flush=True)
    return fine


def distance(without: Seen, having: Seen) -> float:
    """Return about how many deviations the two worlds are apart by all that was released: no bound."""
    first, second = without["released"], having["released"]
    with np.errstate(invalid="ignore"):  # a level that was told of one row is infinitely likely
        return float((second.mean() - first.mean()) / np.sqrt((first.var() + second.var()) / 2))


def certificate(method: str, worlds: str, epsilon: float) -> Certificate:
    """Return what a fit of the case claims."""
    budget = Budget(epsilon=epsilon, delta=DELTA)
    return observed(marginal_methods()[method], WORLDS[worlds], budget, having=True, seed=0)[0].certificate


def _loaded(kept: Path | None) -> tuple[Seen, Seen]:
    if kept is None or not kept.exists():
        return {}, {}
    with np.load(kept) as file:
        found = [{key[2:]: file[key] for key in file if key.startswith(f"{having}.")} for having in (0, 1)]
    return found[0], found[1]


def _joined(parts: list[Seen]) -> Seen:
    filled = [part for part in parts if part]
    return {name: np.concatenate([part[name] for part in filled]) for name in filled[0]} if filled else {}


def _sizes(missing: int) -> list[int]:
    return [min(CHUNK, missing - start) for start in range(0, max(missing, 0), CHUNK)]


if __name__ == "__main__":
    main()
