from house import sizes
from house.tree import ROOT


def test_every_file_function_class_and_folder_is_small():
    assert sizes.problems(ROOT) == []
