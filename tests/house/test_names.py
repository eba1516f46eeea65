from house import names
from house.tree import ROOT


def test_every_room_and_class_is_named_and_built_as_the_house_wants():
    assert names.problems(ROOT) == []
