"""DOMIAS: known ratios, spaces that exist, no underflow, and densities by flows."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import scores, wide
from understudy.attacks.domias import DOMIAS
from understudy.errors import MissingExtra, ParameterError
from understudy.model import torch_extra
from understudy.table.evidence import Evidence
from understudy.testing import odd_evidence, results, sameness
from understudy.testing.judging import judge


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


def repeated(kind, rows=80, size=300):
    """Evidence of a synthesizer that gives half of its rows again and again, or none of them."""
    rng = np.random.default_rng(0)

    def fresh(count):
        return pd.DataFrame(rng.normal(size=(count, 6))).rename(columns=str).assign(kind="a")

    train, holdout, reference, synthetic = (fresh(count) for count in (rows, rows, size, size))
    if kind == "half":
        synthetic = train.iloc[rng.integers(0, rows // 2, size)]
    return Evidence(train=train, holdout=holdout, reference=reference, synthetic=synthetic)


def test_copies_of_half_the_rows_are_told_better_than_fresh_ones_by_flows():
    pytest.importorskip("torch")
    half, fresh = (DOMIAS(density="flow", steps=60)(repeated(kind)) for kind in ("half", "fresh"))
    assert half.low > 0.55 and half.value > fresh.value + 0.1
    assert fresh.low <= 0.5 <= fresh.high
    copied, others = np.split(np.array(half.per_record), 2)
    assert np.median(copied) > np.quantile(others, 0.9)


def test_the_same_seed_gives_the_same_scores_by_flows():
    pytest.importorskip("torch")
    shown = repeated("fresh", rows=30, size=30)
    first, second, other = (DOMIAS(density="flow", steps=5)(shown, seed=seed) for seed in (3, 3, 4))
    assert first.per_record == second.per_record != other.per_record
    assert np.isfinite(first.per_record).all()


def test_flows_say_the_same_of_the_same_tables_told_otherwise():
    pytest.importorskip("torch")
    attack = DOMIAS(density="flow", steps=5)
    plain = sameness.told_otherwise(attack, sameness.as_it_is)
    for change in sameness.CHANGES:
        assert sameness.told_otherwise(attack, change).value == pytest.approx(plain.value, abs=1e-6)


@pytest.mark.parametrize("odd", odd_evidence.ODD)
def test_flows_do_not_refuse_odd_tables(odd):
    pytest.importorskip("torch")
    attack = DOMIAS(density="flow", steps=2)
    results.assert_well_formed(attack, judge(attack, Evidence(**odd_evidence.ODD[odd]())), odd)


def test_by_flows_tables_of_few_and_equal_rows_have_finite_scores():
    pytest.importorskip("torch")
    attack = DOMIAS(density="flow", steps=3)
    assert np.isfinite(scores(attack, [1.0, 2.0], [0.0, 0.0], [1.0, 3.0])).all()
    assert scores(attack, [1.0, 2.0], [5.0, 5.0], [5.0, 5.0]).tolist() == [0.0, 0.0]
    assert np.isfinite(scores(attack, [(1e12, 0.0)], [(0.0, 0.0)], [(0.0, 1.0), (1.0, 0.0)])).all()


def test_a_flow_of_single_columns_is_refused():
    with pytest.raises(ParameterError, match="space='pca'"):
        DOMIAS(density="flow", space="columns")


def test_without_torch_a_flow_says_what_to_install_and_kernels_need_nothing(monkeypatch):
    monkeypatch.setattr(torch_extra, "find_spec", {}.get)
    with pytest.raises(MissingExtra, match=r"^DOMIAS: .*pip install"):
        DOMIAS(density="flow")(wide())
    assert DOMIAS()(wide()).value < 0.6
