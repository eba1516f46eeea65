"""The codec against scikit-learn's quantile transformer and Bayesian mixture, and the memory it takes."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import setting
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture
from sklearn.preprocessing import QuantileTransformer

from understudy.codec import Style, plan
from understudy.codec.modes import Modes
from understudy.privacy import Ledger, Vault
from understudy.table.schema import Column, Schema

ROWS = 1_000_000
FEWER = 100_000  # the peer's mixture needs minutes beyond this
TURNS = 3


def main() -> None:
    """Print every comparison of this run."""
    rng = np.random.default_rng(0)
    print(f"{'one column of floats':<46} {'ours':>9} {'sklearn':>9}")
    quantiles(rng.lognormal(3, 1, ROWS), rng)
    modes(np.concatenate([rng.normal(0, 1, FEWER // 2), rng.gamma(2, 9, FEWER // 2)]), rng)
    print(f"\n{'1,000,000 rows x 20 mixed columns':<46} {'ours':>9} {'limit':>9}")
    for numbers in ("quantile_normal", "modes", "bins"):
        whole_table(numbers, rng)


def quantiles(values: np.ndarray, rng: np.random.Generator) -> None:
    """Compare learning 1,000 quantiles, mapping to normals, and mapping back."""
    tall = values[:, None]
    peer = QuantileTransformer(n_quantiles=1_000, output_distribution="normal", subsample=None)
    schema = Schema(columns=(Column(name="x", kind="numerical", type="double", missing={"rate": 0}),))
    planned, columns = plan(schema, Style()), {"x": values}
    fit = best(lambda: planned.fit(Vault(columns, Ledger()), rng))
    setting.ratio("quantiles: fit, every row used", fit, best(lambda: peer.fit(tall)), "1x")
    codec = planned.fit(Vault(columns, Ledger()), rng)
    matrix, z = codec.encode(columns), peer.transform(tall)
    encode, decode = best(lambda: codec.encode(columns)), best(lambda: codec.decode(matrix, rng))
    setting.ratio("quantiles: encode", encode, best(lambda: peer.transform(tall)), "1x")
    setting.ratio("quantiles: decode", decode, best(lambda: peer.inverse_transform(z)), "1x")


def modes(values: np.ndarray, rng: np.random.Generator) -> None:
    """Compare a mixture of at most ten components, with the settings of CTGAN for the peer."""
    peer = BayesianGaussianMixture(
        n_components=10, weight_concentration_prior=0.001, max_iter=100, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # it stops at its 100 rounds here as it does there
        theirs = seconds(lambda: peer.fit(values[:, None]))
    coder = Modes.fit(values, 10, rng)
    setting.ratio("modes: fit, 100,000 rows", best(lambda: Modes.fit(values, 10, rng)), theirs, "10x")
    likelihood = peer.score(values[:, None])
    ours = score(coder, values)
    print(f"{'modes: log-likelihood per row (higher is better)':<46} {ours:9.3f} {likelihood:9.3f}")
    print(f"{'modes: components kept':<46} {len(coder.weights):9d} {int((peer.weights_ > 0.005).sum()):9d}")
    encoded = best(lambda: coder.encode(values, rng))
    setting.ratio("modes: encode", encoded, best(lambda: peer.predict_proba(values[:, None])), "1x")


def score(coder: Modes, values: np.ndarray) -> float:
    """Return the mean log density of the values under the fitted modes."""
    width = coder.high - coder.low
    z = ((values[:, None] - coder.low) / width - coder.means) / coder.deviations
    density = (coder.weights / coder.deviations * np.exp(-0.5 * z**2)).sum(axis=1) / np.sqrt(2 * np.pi)
    return float(np.log(density / width).mean())


def whole_table(numbers: str, rng: np.random.Generator) -> None:
    """Time a whole table, and compare peak memory with the matrix, which has to be there in any case."""
    schema, columns = mixed(rng)
    vault = Vault(columns, Ledger())
    start = time.perf_counter()
    codec = plan(schema, Style(numbers=numbers, levels="codes")).fit(vault, rng)
    fitted = time.perf_counter()
    matrix = codec.encode(columns, rng)
    encoded = time.perf_counter()
    codec.decode(matrix, rng)
    print(
        f"{numbers}: fit {fitted - start:.1f} s, encode {encoded - fitted:.1f} s, "
        f"decode {time.perf_counter() - encoded:.1f} s, width {codec.layout.width}"
    )
    size = matrix.nbytes
    del matrix
    tracemalloc.start()
    codec.encode(columns, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    setting.ratio(f"{numbers}: peak of encoding, GiB", peak / 2**30, size / 2**30, "> 0.3x")


def mixed(rng: np.random.Generator) -> tuple[Schema, dict[str, Any]]:
    """Return ten floats, five whole numbers and five columns of levels."""
    columns: dict[str, Any] = {f"f{i}": rng.lognormal(i, 1, ROWS) for i in range(10)}
    columns |= {f"i{i}": rng.integers(0, 10 ** (i + 1), ROWS) for i in range(5)}
    columns |= {f"c{i}": rng.integers(-1, 4 + 5 * i, ROWS).astype(np.int32) for i in range(5)}
    for i in range(5):
        columns[f"f{i}"][rng.random(ROWS) < 0.1] = np.nan
    parts = [
        Column(name=n, kind="numerical", type="double" if n[0] == "f" else "int64")
        for n in list(columns)[:15]
    ]
    parts += [
        Column(name=f"c{i}", kind="categorical", levels={"values": tuple(range(4 + 5 * i))}) for i in range(5)
    ]
    return Schema(columns=tuple(parts)), columns


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], object]) -> float:
    """Return the seconds of the fastest of a few runs."""
    return min(seconds(work) for _ in range(TURNS))


if __name__ == "__main__":
    main()
