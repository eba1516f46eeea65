import pytest
from hypothesis import given, strategies as st

from understudy.model.outlook import Outlook, most_cells


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=30), st.integers(100, 10**8))
def test_capped_columns_fit_into_the_room_unless_two_cells_each_do_not(sizes, room):
    most = most_cells(sizes, room)
    kept = [min(size, most) for size in sizes]
    cells = sum(a * b for place, a in enumerate(kept) for b in kept[place + 1 :])
    assert most == 2 or cells <= room
    larger = [min(size, most + 1) for size in sizes]
    beyond = sum(a * b for place, a in enumerate(larger) for b in larger[place + 1 :])
    assert beyond > room or most >= max(sizes)


def test_columns_that_fit_keep_all_their_cells():
    assert most_cells([3, 40, 7]) == 40


@pytest.mark.parametrize(("more", "less"), [({"rows": 2e6}, {"rows": 1e6}), ({"steps": 900}, {"steps": 90})])
def test_more_rows_or_steps_take_longer(more, less):
    plain = {"rows": 1e6, "sizes": (20,) * 10, "steps": 100}
    assert Outlook(**plain | more).seconds > Outlook(**plain | less).seconds


def test_memory_grows_with_cells():
    assert Outlook(1.0, (100, 100), 1).bytes == 100 * Outlook(1.0, (10, 10), 1).bytes
