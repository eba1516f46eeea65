"""An audit of private networks: many fits of two neighbouring tables, and all that they tell overheard.

    python benchmarks/audit_networks.py --fits 500                 # epsilon 1 and 4, five methods
    python benchmarks/audit_networks.py --methods pategan --epsilon 4

Networks are tiny, batches full, and the two tables no row and one: what is told of the row in question is as
much as the guarantee lets it be. Bounds hold at 99.9 %, those of three statistics together; delta is 1e-5.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from understudy.measuring.bounds import bounds_of_several
from understudy.privacy import Budget
from understudy.privacy.closed_forms import epsilon_of_mu, mu_of_epsilon
from understudy.testing.audited_networks import STATISTICS, lone, network_methods, overheard

DELTA = 1e-5


def main() -> None:
    """Print one line per method and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fits", type=int, default=300, help="of each of the two tables")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 4.0])
    parser.add_argument("--methods", nargs="+", default=["ctgan", "copulagan", "tvae", "nflow", "pategan"])
    asked = parser.parse_args()
    for epsilon in asked.epsilon:
        for method in asked.methods:
            print(line_of(method, epsilon, asked.fits), flush=True)


def line_of(method: str, epsilon: float, fits: int) -> str:
    """Fit both worlds so many times, and say what was found beside what is claimed."""
    start, worlds, recipe = time.process_time(), lone(), network_methods()[method]
    budget = Budget.gdp(mu_of_epsilon(epsilon, DELTA))
    runs = [[overheard(recipe, worlds, budget, having=h) for _ in range(fits)] for h in (False, True)]
    told = [{name: np.array([run[1][name] for run in each]) for name in STATISTICS} for each in runs]
    claim, found = runs[0][0][0], bounds_of_several(told[0], told[1], delta=DELTA)
    without, having = told[0]["both"], told[1]["both"]
    apart = (having.mean() - without.mean()) / np.sqrt((having.var() + without.var()) / 2)
    by_mu = epsilon_of_mu(found.mu, DELTA) if found.mu > 0 else 0.0
    return (
        f"{method:10s} claimed epsilon {claim.epsilon(DELTA):.3f}, mu {claim.mu():.3f} | apart {apart:.3f} | "
        f"at least epsilon {found.epsilon:.3f}, by mu {by_mu:.3f}, mu {found.mu:.3f} | "
        f"{'within' if found.within(claim) else 'ABOVE'} | {time.process_time() - start:.0f} s"
    )


if __name__ == "__main__":
    main()
