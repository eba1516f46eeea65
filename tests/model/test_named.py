import numpy as np

from understudy.model.named import under


def test_parts_of_a_whole_are_told_apart_by_their_prefix():
    whole = {f"{part}.{name}": np.array([place]) for place, part in enumerate(("a", "ab")) for name in "xy"}
    assert {name: int(value[0]) for name, value in under("a.", whole).items()} == {"x": 0, "y": 0}
    assert {name: int(value[0]) for name, value in under("ab.", whole).items()} == {"x": 1, "y": 1}
    assert under("c.", whole) == {}
