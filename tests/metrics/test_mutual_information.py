import numpy as np
import pyarrow as pa
import pytest

from known_tables import constant, drawn, shifted, shuffled_apart, told_otherwise
from understudy.metrics.mutual_information import MutualInformation
from understudy.table.evidence import Evidence

REAL = drawn(3_000, 0, holes=0.05)


def judge(synthetic, real=REAL, **settings):
    return MutualInformation(**{"halves": 6, "nulls": 2, **settings})(
        Evidence(train=real, synthetic=synthetic)
    )


def test_a_copy_is_perfect():
    found = judge(REAL)
    assert found.value == found.parts["kept"] == 1
    assert found.parts["invented"] == 0 and found.parts["coverage"] == 1


def test_known_tables_have_their_verdicts():
    fresh, moved = judge(drawn(3_000, 1, holes=0.05)), judge(shifted(REAL, 1_000))
    assert fresh.low > 0.8 and moved.high < fresh.low
    assert judge(shuffled_apart(REAL, 1)).value < 0.05
    assert judge(constant(REAL)).value == 0


def test_fresh_rows_score_as_the_null_says():
    found = [judge(drawn(2_000, seed), drawn(2_000, 100 + seed), halves=4) for seed in range(12)]
    values, nulls = np.array([(each.value, each.null) for each in found]).T
    assert values.mean() == pytest.approx(nulls.mean(), abs=0.02)


def test_weak_pairs_do_not_inflate_the_score():
    rng = np.random.default_rng(0)
    many = {f"noise{k}": rng.integers(4, size=2_000).astype(str) for k in range(10)}
    x = rng.integers(4, size=2_000)
    real = pa.table({**many, "x": x.astype(str), "y": x.astype(str)})
    lost = pa.table({**many, "x": x.astype(str), "y": rng.permutation(x).astype(str)})
    found = judge(lost, real)
    assert found.parts["unweighted"] > 0.97  # over all pairs, though the one bond is lost
    assert found.value < 0.1


def test_invented_associations_are_seen():
    rng = np.random.default_rng(0)
    a, c = rng.integers(3, size=(2, 2_000)).astype(str)
    real, more = pa.table({"a": a, "b": a, "c": c}), pa.table({"a": a, "b": a, "c": a})
    found = judge(more, real)
    assert found.parts["kept"] == pytest.approx(1, abs=0.01)
    assert found.parts["invented"] > 1.5 and found.value < 0.5


def test_sizes_do_not_matter():
    small, large = drawn(300, 5), drawn(20_000, 6)
    found, plain = judge(small, large), judge(small, large, corrected=False)
    assert found.parts["synthetic"] == pytest.approx(found.parts["real"], rel=0.1)
    assert plain.parts["synthetic"] > 1.3 * plain.parts["real"]
    assert found.value > plain.value


def test_associations_through_missing_cells_are_seen():
    rng = np.random.default_rng(0)
    x, flag = rng.normal(size=1_000), rng.random(1_000) < 0.5
    level = np.where(flag, "a", "b")
    real = pa.table({"x": pa.array(x, mask=flag), "level": level})
    other = pa.table({"x": pa.array(x, mask=rng.permutation(flag)), "level": level})
    assert judge(other, real).value < 0.1


def test_a_shifted_column_is_not_read_in_bins_of_its_own():
    x = np.random.default_rng(0).normal(size=1_000)
    real, moved = pa.table({"x": x, "y": x}), pa.table({"x": x + 100, "y": x})
    assert judge(moved, real).value == 0


def test_tables_without_any_association_have_no_score_and_a_note_says_why():
    for real in (pa.table({"x": [1.5, 2.5, 3.5]}), pa.table({"x": list("aaaa"), "y": list("bbbb")})):
        found = judge(real, real)
        assert np.isnan(found.value) and found.parts["coverage"] == 0
        assert any("nothing to compare" in note for note in found.notes)


def test_the_order_of_rows_and_columns_units_and_names_of_levels_do_not_matter():
    synthetic = drawn(700, 3, holes=0.1)
    one, other = judge(synthetic), judge(told_otherwise(synthetic, 4), told_otherwise(REAL, 5))
    assert other.parts == pytest.approx(one.parts, abs=1e-9)
