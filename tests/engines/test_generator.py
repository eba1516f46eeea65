"""Known cells: a value and a mask for each coordinate of each row."""

import numpy as np
import pytest

from understudy.engines.generator import Known
from understudy.errors import ParameterError


def test_a_part_holds_the_same_rows_of_both():
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    part = Known(values, values > 2).part(1, 3)
    assert part.values.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert part.mask.tolist() == [[False, True], [True, True]]


def test_a_mask_of_another_shape_is_refused():
    with pytest.raises(ParameterError, match="one shape"):
        Known(np.zeros((2, 2), np.float32), np.zeros((2, 3), bool))
