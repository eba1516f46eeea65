import ast

from house import names
from house.tree import ROOT, sources


def test_every_room_and_class_is_named_and_built_as_the_house_wants():
    assert names.problems(ROOT) == []


def test_every_test_is_named_by_a_sentence():
    tests = [
        (source, node)
        for source in sources(ROOT, "tests")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert [source.at(node) for source, node in tests if len(node.name.split("_")) < 4] == []
