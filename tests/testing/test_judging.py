import numpy as np
import pyarrow.compute as pc
import pytest

from testing.planted_measures import Planted
from understudy.metrics.constraints import Constraints
from understudy.testing import judging


def test_the_law_keeps_what_its_schema_declares():
    assert judging.of_verdict(Constraints(), "fresh").value == 0
    assert judging.of_verdict(Constraints(), "copy").null == 0


def test_every_verdict_has_the_columns_and_rows_of_the_law():
    for name in judging.VERDICTS:
        table = judging.verdict(name)
        assert table.schema.equals(judging.law(5, 0).schema)
        assert table.num_rows == judging.ROWS


def test_a_copy_is_the_training_table_and_a_fresh_sample_is_not():
    assert judging.verdict("copy").equals(judging.law(judging.ROWS, 0))
    assert not judging.verdict("fresh").equals(judging.verdict("copy"))


def test_a_constant_table_is_one_row_of_the_shifted_one():
    constant = judging.verdict("constant")
    for name in constant.schema.names:
        assert pc.count_distinct(constant.column(name), mode="all").as_py() == 1


def test_quantities_lie_on_a_grid_on_which_units_change_exactly():
    for name in ("fresh", "shifted"):
        rise = np.asarray(judging.verdict(name).column("rise"))
        assert (rise * 64 == np.rint(rise * 64)).all()


def test_a_warning_is_a_failure():
    with pytest.raises(RuntimeWarning):
        judging.judge(Planted(flaw="warns", halves=4, nulls=1), _without_a_quantity())


def test_a_measure_that_draws_nothing_has_no_slack():
    assert judging.slack(Planted(halves=4, nulls=1)) == pytest.approx(1e-6)
    assert judging.slack(Planted(flaw="ignores_the_seed", halves=4, nulls=1)) > 0.01


def _without_a_quantity():
    from understudy.table.evidence import Evidence
    from understudy.testing.odd_evidence import ODD

    return Evidence(**ODD["a_quantity_is_missing"]())
