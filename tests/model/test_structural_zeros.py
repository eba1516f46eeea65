"""Structural zeros: what a rule rules out is never drawn, and what is left keeps its proportions."""

import numpy as np
import pyarrow as pa
import pytest

from understudy.model import model as model_module, structural_zeros as module
from understudy.model.obeying import obey
from understudy.model.structural_zeros import without_zeros
from understudy.synth.mst import MST
from understudy.table.schema import Schema
from understudy.table.table import Table

ROWS = 4_000


def _fitted(*texts):
    rng = np.random.default_rng(0)
    base = rng.normal(size=ROWS)
    sex = np.where(base + rng.normal(size=ROWS) > 0, "f", "m")
    table = pa.table(
        {
            "sex": sex,
            "pregnant": np.where(
                (sex == "f") & (rng.random(ROWS) < 0.4), "yes", np.where(base > 1, "so", "no")
            ),
            "a": np.rint(40 + 9 * base).astype(int),
            "b": np.rint(44 + 9 * base + 2 * rng.normal(size=ROWS)).astype(int),
            "x": pa.array(base, mask=rng.random(ROWS) < 0.1),
        }
    )
    schema = Schema.infer(Table(table)).model_copy(update={"rules": texts})
    return MST(steps=100).fit(table, schema=schema, progress=False)


def _avoided(fitted):
    sampler = fitted.sampler
    return without_zeros(sampler.model, sampler.cells, fitted.schema)


def test_forbidden_pairs_have_no_weight_and_the_others_keep_their_proportions():
    fitted = _fitted("sex == 'm' implies pregnant == 'no'")
    before, after = fitted.sampler.model.marginal((0, 1)), _avoided(fitted).marginal((0, 1))
    men = fitted.schema.column("sex").levels.values.index("m")
    no = fitted.schema.column("pregnant").levels.values.index("no")
    forbidden = np.zeros(before.shape, dtype=bool)
    forbidden[men] = True
    forbidden[men, [no, -1] if before.shape[1] > 3 else [no]] = False
    assert (after[forbidden] == 0).all()
    kept = before[~forbidden]
    np.testing.assert_allclose(after[~forbidden], kept * before.sum() / kept.sum())


def test_bins_that_lie_wholly_on_the_wrong_side_have_no_weight(monkeypatch):
    rejected = []

    def counted(*given, **named):
        found = obey(*given, **named)
        rejected.append(found.drawn)
        return found

    monkeypatch.setattr(model_module, "obey", counted)
    fitted = _fitted("a <= b")
    fitted.sample(2_000)
    monkeypatch.setattr(module, "MOST_PAIRS", 0)
    fitted.sample(2_000)
    with_zeros, without = (drawn - 2_000 for drawn in rejected)
    assert with_zeros < 0.9 * without


@pytest.mark.parametrize("text", ["a == b", "a != 40 implies b > 40", "a > 40 implies b == 50"])
def test_a_pair_whose_corners_do_not_tell_is_left_alone(text):
    fitted = _fitted(text)
    after = _avoided(fitted)
    for old, new in zip(fitted.sampler.model.potentials, after.potentials, strict=True):
        assert np.array_equal(old, new)


def test_cells_that_the_rules_allow_are_all_still_drawn():
    fitted = _fitted("sex == 'm' implies x is missing", "a > 30")
    model = _avoided(fitted)
    free, cells = model.marginal((2,)), fitted.sampler.cells["a"]
    ends = [cells.edges[1:][cells.merged[:-1] == place].max() - 1 for place in range(len(free))]
    assert ((free > 0) == (np.array(ends) > 30)).all()
    assert 0 < (free == 0).sum() < len(free)


def test_rules_that_leave_nothing_leave_the_model_as_it_is():
    fitted = _fitted("a > 40", "a < 30")
    assert _avoided(fitted) is fitted.sampler.model


def test_rules_about_columns_that_share_no_clique_are_left_to_drawing_again():
    fitted = _fitted("a + b + x <= 100", "sex == 'm' implies pregnant == 'no'")
    fake = fitted.sample_table(500).to_arrow().to_pylist()
    assert all(row["x"] is None or row["a"] + row["b"] + row["x"] <= 100 for row in fake)
    assert not any(row["sex"] == "m" and row["pregnant"] != "no" for row in fake)
