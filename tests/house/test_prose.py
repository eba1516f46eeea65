from house import prose
from house.tree import ROOT


def test_no_text_file_names_a_registry_or_a_path_of_one_machine():
    assert prose.text_problems(ROOT) == []


def test_no_code_unpickles_evaluates_prints_seeds_the_world_swallows_errors_or_reaches_into_a_vault():
    assert prose.code_problems(ROOT) == []
