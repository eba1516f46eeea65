import numpy as np

from understudy.engines.margin import LevelMargin, QuantityMargin
from understudy.missing import MISSING_STEP
from understudy.model.binned import Binned, cell_of

LEVELS = LevelMargin(np.array([0, 1, 2, -1], dtype=np.int32), np.array([0.5, 0.7, 0.9, 1.0]))
QUANTITY = QuantityMargin(np.array([0, 19]), np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.0)
BINNED = Binned(
    {"w": LEVELS, "x": QUANTITY},
    {"x": np.array([0, 10, 20])},
    {"w": np.array([0.5, 0.2, 0.2, 0.1]), "x": np.array([0.5, 0.5, 0.0])},
    100.0,
)
ROWS = {"w": np.array([0, 1, 2, -1], dtype=np.int32), "x": np.array([-5, 9, 10, MISSING_STEP])}


def test_codes_are_the_cells_that_rows_lie_in():
    codes = BINNED.codes(ROWS)
    assert codes["w"].tolist() == [0, 1, 2, 3]
    assert codes["x"].tolist() == [0, 0, 1, -1]


def test_each_row_is_coded_by_itself():
    alone = [BINNED.codes({name: values[i : i + 1] for name, values in ROWS.items()}) for i in range(4)]
    for name, codes in BINNED.codes(ROWS).items():
        assert codes.tolist() == [int(code[name][0]) for code in alone]


def test_levels_in_another_order_have_their_shares_and_codes_in_it_too():
    found = BINNED.reordered({"w": np.array([2, 3, 0, 1])})
    assert found.margins["w"].codes.tolist() == [2, -1, 0, 1]
    assert found.shares["w"].tolist() == [0.2, 0.1, 0.5, 0.2]
    assert found.codes(ROWS)["w"].tolist() == [2, 3, 0, 1]
    assert BINNED.margins["w"] is LEVELS


def test_cells_of_values_outside_the_edges_are_the_outer_ones():
    assert cell_of(np.array([-9.0, 0.0, 5.0, 99.0, np.nan]), np.array([0.0, 5.0, 10.0])).tolist() == [
        0,
        0,
        1,
        1,
        -1,
    ]
    assert cell_of(np.array([3, -1]), None).dtype == np.int32
