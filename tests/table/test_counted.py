"""Numbers with their nouns."""

import pytest

from understudy.table.counted import counted


@pytest.mark.parametrize(("count", "said"), [(0, "0 fields"), (1, "1 field"), (2, "2 fields")])
def test_only_one_is_singular(count, said):
    assert counted(count, "field") == said
