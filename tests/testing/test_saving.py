from testing.planted import Planted, caught
from understudy.testing import saving


def test_a_model_that_saves_another_one_is_caught():
    planted = Planted(flaw="saves_another_model")
    assert "gives other rows" in caught(saving.a_saved_model_gives_the_same_rows, planted)
    assert "gives other rows" in caught(saving.a_saved_model_keeps_hostile_names, planted)


def test_a_pickle_beside_the_parts_is_caught():
    message = caught(saving.a_saved_model_holds_no_code, Planted(flaw="saves_a_pickle"))
    assert "model.pkl" in message
