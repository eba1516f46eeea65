"""DOMIAS: known ratios, spaces that exist, no underflow."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import scores, wide
from understudy.attacks.domias import DOMIAS
from understudy.table.evidence import Evidence


@pytest.mark.parametrize("space", ["pca", "columns"])
@pytest.mark.parametrize(("rule", "expected"), [("scott", 4.540643), ("silverman", 4.560165)])
def test_the_ratio_of_two_small_tables_is_known(rule, expected, space):
    found = scores(DOMIAS(rule=rule, space=space), [1.0], [0.0, 1.0, 2.0], [0.0, 4.0, 8.0])
    assert np.exp(found[0]) == pytest.approx(expected, rel=1e-6)


def test_constant_columns_and_whole_one_hot_blocks_do_no_harm():
    rng = np.random.default_rng(0)

    def table(rows):
        cells = {
            "x": rng.normal(size=rows),
            "same": np.full(rows, 3.5),
            "kind": rng.choice(list("abc"), rows),
        }
        return pd.DataFrame(cells)

    shown = Evidence(train=table(80), holdout=table(80), synthetic=table(80), reference=table(80))
    for space in ("pca", "columns"):
        found = DOMIAS(space=space)(shown)
        assert np.isfinite(found.per_record).all()
        assert found.low <= 0.5 <= found.high


def test_many_columns_do_not_underflow():
    rng = np.random.default_rng(1)
    members, synthetic, reference = (rng.normal(size=(40, 60)) * 30 for _ in range(3))
    found = scores(DOMIAS(components=60, width=0.05), members, synthetic, reference)
    assert np.isfinite(found).all()
    assert len(np.unique(found)) == 40


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (DOMIAS()(wide(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
