import numpy as np
import pyarrow as pa

from understudy.measuring.canaries import rarest, strange, unlike

TABLE = pa.table({"c": ["x", "x", "y", None], "n": [1, 2, 2, 2], "t": [None] * 4})


def rng(seed=0):
    return np.random.default_rng(seed)


def test_strange_rows_have_cells_of_the_table_and_its_types():
    found = strange(TABLE, 200, rng())
    assert found.schema.equals(TABLE.schema)
    assert set(found["c"].to_pylist()) == {"x", "y", None}
    # Rare cells are as likely as common ones.
    assert 50 < found["c"].to_pylist().count("y") < 85


def test_the_order_of_rows_has_no_part_in_what_is_made():
    turned = TABLE.take([3, 1, 0, 2])
    assert strange(TABLE, 20, rng()).equals(strange(turned, 20, rng()))
    assert rarest(TABLE).equals(rarest(turned))


def test_the_rarest_row_has_the_rarest_cells_and_a_hole_only_where_there_is_nothing_else():
    assert rarest(TABLE).to_pylist() == [{"c": "y", "n": 1, "t": None}]
    assert rarest(TABLE).schema.equals(TABLE.schema)


def test_rows_that_are_unlike_share_the_fewest_cells():
    found = unlike(TABLE, rarest(TABLE), 2, rng())
    assert found.to_pylist() == [{"c": "x", "n": 2, "t": None}, {"c": None, "n": 2, "t": None}]
    assert unlike(TABLE, rarest(TABLE), 99, rng()).num_rows == 4
