import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from understudy.table import builtin
from understudy.table.glance import glance
from understudy.table.table import Table


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (pa.array([1, 2, 30_000]), "2 (1 to 30,000)"),
        (pa.array([0.123456, 0.2, None, None]), "0.1235 (0.1235 to 0.2), 50% missing"),
        (pa.array([Decimal("1.50"), Decimal("2.50"), Decimal("3.50")]), "2.5 (1.5 to 3.5)"),
        (pa.array(["x", "x", "y", "x"]), "x 75% of 2 levels"),
        (pa.array(["x", "x", "y", "x"]).dictionary_encode(), "x 75% of 2 levels"),
        (pa.array(["x", "y", "z"]), "all different"),
        (pa.array([True, True]), "True 100% of 1 level"),
        (pa.array([dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 1, 2)]), "2024-01-02"),
        (pa.array([dt.timedelta(seconds=90)]), "0:01:30"),
        (pa.nulls(3, pa.string()), "all missing"),
        (pa.array([], pa.int64()), "all missing"),
        (pa.array(["only"]), "only 100% of 1 level"),
    ],
)
def test_a_column_in_a_few_words(cells, words):
    assert glance(Table(pa.table({"a": cells}))) == {"a": words}


def test_every_column_of_every_built_in_table_has_its_words():
    for name in builtin.names():
        table = builtin.load(name)
        words = glance(table)
        assert list(words) == table.names
        assert all(words.values())
