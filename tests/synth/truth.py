"""Statistical tests at stated levels; every use has a fixed seed, so none fails by chance."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2, chi2_contingency, ks_2samp

LEVEL = 1e-6


def same_margin(real, fake) -> bool:
    """Chi-square of a sample against known shares, cells of fewer than five expected rows pooled."""
    values, counts = np.unique(np.asarray(real, dtype=str), return_counts=True)
    found = dict(zip(*np.unique(np.asarray(fake, dtype=str), return_counts=True), strict=True))
    expected = counts / counts.sum() * len(fake)
    observed = np.array([found.pop(value, 0) for value in values], dtype=float)
    assert not found, "values came that no real row has"
    large = expected >= 5
    cells = [(observed[large], expected[large]), ([observed[~large].sum()], [expected[~large].sum()])]
    pairs = [(o, e) for os, es in cells for o, e in zip(os, es, strict=True) if e > 0]
    statistic = sum((o - e) ** 2 / e for o, e in pairs)
    return bool(chi2.sf(statistic, max(len(pairs) - 1, 1)) > LEVEL)


def same_levels(one, two) -> bool:
    """Chi-square of two samples of levels against each other."""
    levels = np.unique(np.concatenate([np.asarray(one, dtype=str), np.asarray(two, dtype=str)]))
    table = np.array([[np.sum(np.asarray(s, dtype=str) == level) for level in levels] for s in (one, two)])
    return bool(chi2_contingency(table[:, table.sum(axis=0) >= 10]).pvalue > LEVEL)


def same_numbers(one, two) -> bool:
    """Kolmogorov-Smirnov of two samples of numbers."""
    return bool(ks_2samp(np.asarray(one, dtype=float), np.asarray(two, dtype=float)).pvalue > LEVEL)


def independent(one, two) -> bool:
    """Chi-square of independence."""
    rows, columns = (np.unique(np.asarray(s, dtype=str), return_inverse=True)[1] for s in (one, two))
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    return bool(chi2_contingency(table).pvalue > LEVEL)
