"""First rows that were taken for names: numbers, dates and times, and nothing that is a name."""

import pytest

from understudy.table.headless import like_cells

NUMBERS = ["34", "-1.5", "27,9", "1,234,567", "1e-3", "12 %", " 34 ", ".5"]
TIMES = [
    "1984-05-31",
    "31.5.1984",
    "5/31/1984",
    "10:30",
    "2024-05-31T10:30:00Z",
    "2024-05-31 10:30:00.125 +02:00",
]


@pytest.mark.parametrize("cell", NUMBERS + TIMES)
def test_a_number_or_a_date_is_no_name(cell):
    assert like_cells([cell, "Alice"]) == 1


@pytest.mark.parametrize("name", ["age", "x1", "2019 total", "q-1", "1984-05/31", "1st", "", "-", "a=b"])
def test_a_name_is_a_name(name):
    assert like_cells([name, name]) == 0


def test_less_than_half_is_no_sign_and_neither_is_one_column():
    assert like_cells(["7"]) == like_cells([]) == like_cells(["a", "b", "2020"]) == 0
    assert like_cells(["a", "b", "2020", "2021"]) == 2
