import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.condition import Among, Between, IsMissing
from understudy.missing import MISSING_STEP, is_missing
from understudy.model.cells import Cells, values_in

WHOLE = np.array([0, 1, 5, 10], dtype=np.int64)
REAL = np.array([0.0, 1.0, 5.0, np.nextafter(10.0, np.inf)])


def cells(edges=None, shares=(0.5, 0.2, 0.2, 0.1), merged=(0, 1, 1, 2)):
    return Cells.of(np.array(shares), np.array(merged, dtype=np.int32), edges)


@given(st.lists(st.sampled_from([0, 1, 2, -1]), min_size=1, max_size=50), st.integers(0, 99))
def test_a_decoded_level_lies_in_the_cell_it_was_drawn_from(codes, seed):
    values = np.array(codes, dtype=np.int32)
    of = cells()
    again = of.decode(of.encode(values), np.random.default_rng(seed))
    assert np.array_equal(of.encode(again), of.encode(values)) and again.dtype == np.int32


@pytest.mark.parametrize("edges", [WHOLE, REAL], ids=["whole", "real"])
def test_a_decoded_quantity_lies_in_the_cell_it_was_drawn_from(edges):
    of = cells(edges)
    places = np.repeat([0, 1, 2], 200).astype(np.int32)
    values = of.decode(places, np.random.default_rng(0))
    assert np.array_equal(of.encode(values), places)
    assert is_missing(values)[places == 2].all() and not is_missing(values)[places != 2].any()
    present = values[~is_missing(values)]
    assert present.min() >= 0 and present.max() <= (9 if edges is WHOLE else 10)


def test_cells_of_a_merged_cell_come_back_by_their_shares():
    values = cells(shares=(0.5, 0.3, 0.1, 0.1)).decode(
        np.full(4_000, 1, dtype=np.int32), np.random.default_rng(1)
    )
    assert np.bincount(values).tolist() == [0, 3_000, 1_000]


def test_a_merged_cell_without_mass_is_divided_evenly():
    values = cells(shares=(1.0, 0.0, 0.0, 0.0)).decode(
        np.full(100, 1, dtype=np.int32), np.random.default_rng(1)
    )
    assert np.bincount(values).tolist() == [0, 50, 50]


def test_a_cell_without_mass_is_never_drawn_beside_one_with_mass():
    values = cells(shares=(0.5, 0.5, 0.0, 0.0), merged=(0, 1, 1, 1)).decode(
        np.full(1_000, 1, dtype=np.int32), np.random.default_rng(2)
    )
    assert set(values.tolist()) == {1}


def test_evidence_is_the_share_of_a_merged_cell_that_satisfies_a_condition():
    assert cells().evidence(Among(np.array([True, False, True, False]))) == pytest.approx([1.0, 0.5, 0.0])
    assert cells(WHOLE).evidence(IsMissing()) == pytest.approx([0.0, 0.0, 1.0])
    assert cells(WHOLE).evidence(Between(3, 7)) == pytest.approx([0.0, 0.5 * 2 / 4 + 0.5 * 3 / 5, 0.0])
    assert cells(REAL).evidence(Between(3.0, 7.0)) == pytest.approx([0.0, 0.5 * 2 / 4 + 0.5 * 2 / 5, 0.0])


@pytest.mark.parametrize(("edges", "inside"), [(WHOLE, Between(3, 7)), (REAL, Between(3.0, 7.0))])
def test_a_condition_is_kept_to_the_last_value(edges, inside):
    values = cells(edges).decode(np.full(500, 1, dtype=np.int32), np.random.default_rng(3), inside)
    assert inside.accepts(values).all()
    assert edges is REAL or set(values.tolist()) == {3, 4, 5, 6, 7}


def test_missing_of_each_type_is_its_own():
    gone = np.full(3, 2, dtype=np.int32)
    rng = np.random.default_rng(0)
    assert (cells().decode(gone, rng) == -1).all()
    assert (cells(WHOLE).decode(gone, rng) == MISSING_STEP).all()
    assert np.isnan(cells(REAL).decode(gone, rng)).all()


def test_whole_numbers_beyond_the_precision_of_floats_are_told_apart():
    edges = np.array([2**60, 2**60 + 10**6])
    cells = Cells(np.array([0, 1], dtype=np.int32), np.ones(2), edges)
    wanted = 2**60 + 500_001
    drawn = cells.decode(np.zeros(9, dtype=np.int32), np.random.default_rng(0), Between(wanted, wanted))
    assert set(drawn.tolist()) == {wanted}


@pytest.mark.parametrize("edges", [WHOLE, REAL], ids=["whole", "real"])
def test_higher_ranks_of_a_merged_cell_get_higher_values_by_the_same_shares(edges):
    of, places = cells(edges), np.full(900, 1, dtype=np.int32)
    ranks = np.random.default_rng(3).permutation(900).astype(float)
    values = of.decode(places, np.random.default_rng(4), ranks=ranks)
    assert (np.diff(values[np.argsort(ranks)]) >= 0).all()
    assert (values < 5).mean() == pytest.approx(0.5, abs=0.01)


def test_a_condition_holds_in_every_row_whatever_its_rank():
    ranks = np.linspace(-1, 1, 300)
    values = cells(REAL).decode(np.ones(300, np.int32), np.random.default_rng(0), Between(3, 7), ranks)
    assert values.min() >= 3 and values.max() <= 7


def drawn_together(columns, codes):
    drawn = values_in(dict(zip("xyz", columns, strict=True)), codes, np.random.default_rng(5), {})
    return list(drawn.values())


def test_missing_rows_of_a_merged_cell_are_of_any_rank():
    of = cells(REAL, shares=(0.5, 0.2, 0.2, 0.1), merged=(0, 1, 1, 1))
    ranks = np.linspace(0, 1, 5_000)
    values = of.decode(np.ones(5_000, dtype=np.int32), np.random.default_rng(0), ranks=ranks)
    gone = is_missing(values)
    assert gone.mean() == pytest.approx(0.2, abs=0.001)
    assert ranks[gone].mean() == pytest.approx(0.5, abs=0.05)  # 5 deviations of the mean of 1,000 ranks
    assert (np.diff(values[~gone]) >= 0).all()


def test_quantities_that_go_together_do_so_inside_of_their_bins():
    of = cells(REAL, shares=(0.5, 0.25, 0.25, 0.0), merged=(0, 1, 1, 2))
    codes = np.repeat([0, 1], 2_000).astype(np.int32)
    levels = Cells.of(np.array([1.0, 0.0]), np.array([0, 1], dtype=np.int32))
    alone = np.random.default_rng(6).permutation(codes)
    first, second, _ = drawn_together((of, of, levels), (codes, codes, np.zeros(4_000, np.int32)))
    third, fourth, _ = drawn_together((of, of, levels), (codes, alone, np.zeros(4_000, np.int32)))
    assert np.corrcoef(first[:2_000], second[:2_000])[0, 1] > 0.5
    assert abs(np.corrcoef(third[:2_000], fourth[:2_000])[0, 1]) < 0.1


def test_missing_rows_and_no_rows_at_all_are_drawn_beside_others():
    codes = np.array([0, 1, 2, 2], dtype=np.int32)
    first, second, _ = drawn_together((cells(WHOLE), cells(REAL), cells()), (codes, codes, codes))
    assert first[2:].tolist() == [MISSING_STEP] * 2 and np.isnan(second[2:]).all()
    assert all(
        len(each) == 0 for each in drawn_together((cells(WHOLE), cells(REAL), cells()), [codes[:0]] * 3)
    )
