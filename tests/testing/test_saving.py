import pickle

import numpy as np
import safetensors.numpy

from testing.planted import Planted, caught
from understudy.testing import saving


def test_a_model_that_saves_another_one_is_caught():
    planted = Planted(flaw="saves_another_model")
    assert "gives other rows" in caught(saving.a_saved_model_gives_the_same_rows, planted)
    assert "gives other rows" in caught(saving.a_saved_model_keeps_hostile_names, planted)


def test_a_pickle_beside_the_parts_is_caught():
    message = caught(saving.a_saved_model_holds_no_code, Planted(flaw="saves_a_pickle"))
    assert "model.pkl" in message


def test_a_file_of_tensors_whose_length_begins_with_the_byte_of_pickles_is_not_taken_for_one(tmp_path):
    tensors, pickled = tmp_path / "tensors", tmp_path / "pickled"
    safetensors.numpy.save_file({"one": np.zeros(1)}, tensors, {"why": "a" * 295})
    pickled.write_bytes(pickle.dumps({"one": 1.0}))
    assert tensors.read_bytes()[:1] == pickled.read_bytes()[:1] == b"\x80"
    assert [saving.begins_like_a_pickle(path) for path in (tensors, pickled)] == [False, True]
