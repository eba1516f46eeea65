"""gaussian_copula on Adult against sdv's GaussianCopulaSynthesizer: seconds, and fidelity of pairs."""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import setting

import understudy as us

ROWS = 48_842
TURNS = 3


def main() -> None:
    """Take turns, print medians and ratios."""
    frame = us.read(setting.dataset("adult")).to_pandas()
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    fit_and_sample(frame.head(1_000))  # imports, for both sides
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "real.parquet", Path(folder) / "synthetic.parquet"
        frame.to_parquet(source)
        for _ in range(TURNS):
            theirs.append(setting.peer("sdv_copula.py", str(source), str(target), str(ROWS)))
            seconds, synthetic = fit_and_sample(frame)
            ours.append(seconds)
        peer_synthetic = pd.read_parquet(target)
    print(f"{'Adult, 48,842 x 15':<46} {'ours':>9} {'sdv':>9}")
    for part in ("fit", "sample"):
        setting.ratio(part + " seconds", median(ours, part), median(theirs, part), "-")
    setting.ratio("fit + sample seconds", total(ours), total(theirs), "10x")
    for name, bins in (("pairs, total variation, 20 bins", 20), ("pairs, total variation, 8 bins", 8)):
        setting.ratio(
            name, pair_error(frame, synthetic, bins), pair_error(frame, peer_synthetic, bins), "> 1x"
        )


def fit_and_sample(frame: pd.DataFrame) -> tuple[dict[str, float], pd.DataFrame]:
    """Return seconds and rows of our copula."""
    start = time.perf_counter()
    model = us.synth.get("gaussian_copula")().fit(frame, progress=False)
    fitted = time.perf_counter()
    synthetic = model.sample(ROWS)
    return {"fit": fitted - start, "sample": time.perf_counter() - fitted}, synthetic


def median(turns: list[dict[str, float]], part: str) -> float:
    """Return the median seconds of one part."""
    return statistics.median(turn[part] for turn in turns)


def total(turns: list[dict[str, float]]) -> float:
    """Return the median seconds of fit and sample together."""
    return statistics.median(turn["fit"] + turn["sample"] for turn in turns)


def pair_error(real: pd.DataFrame, synthetic: pd.DataFrame, bins: int) -> float:
    """Return the mean total variation distance over all pairs, numbers in quantile bins of the real table."""
    codes = {name: coded(real[name], synthetic[name], bins) for name in real}
    errors = []
    for left, right in itertools.combinations(codes, 2):
        width = 1 + max(int(side.max()) for side in codes[right])
        cells = (1 + max(int(side.max()) for side in codes[left])) * width
        shares = [
            np.bincount(a * width + b, minlength=cells) / len(a)
            for a, b in zip(codes[left], codes[right], strict=True)
        ]
        errors.append(0.5 * float(np.abs(shares[0] - shares[1]).sum()))
    return float(np.mean(errors))


def coded(real: pd.Series, synthetic: pd.Series, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whole-number codes of both sides; missing has its own code, so has an unknown level."""
    if pd.api.types.is_numeric_dtype(real) and real.nunique() > bins:
        edges = np.unique(np.quantile(real.dropna().astype(float), np.linspace(0, 1, bins + 1)[1:-1]))
        sides = (side.astype("float64") for side in (real, synthetic))
        left, right = (
            np.where(np.isnan(s), len(edges) + 1, np.searchsorted(edges, s, side="right")) for s in sides
        )
        return left, right
    levels = pd.Index(sorted(real.dropna().astype(str).unique()))
    left, right = (
        np.where(side.isna(), len(levels), levels.get_indexer(side.astype(str)) % (len(levels) + 2))
        for side in (real, synthetic)
    )
    return left, right


if __name__ == "__main__":
    main()
