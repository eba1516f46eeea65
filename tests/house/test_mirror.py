import ast

import pytest

from house.tree import ROOT, Source, sources

MODULES = [source for source in sources(ROOT) if source.path.stem not in {"__init__", "__main__"}]


def mirror_of(source: Source):
    inside = source.path.relative_to(ROOT / "src" / "understudy")
    return ROOT / "tests" / inside.with_name(f"test_{inside.name}")


@pytest.mark.parametrize("source", MODULES, ids=lambda source: source.name)
def test_every_module_has_one_test_file_of_its_name(source):
    path = mirror_of(source)
    assert path.is_file(), f"{path.relative_to(ROOT)} is missing"
    names = [node.name for node in ast.walk(Source(path, ROOT).tree) if isinstance(node, ast.FunctionDef)]
    assert any(name.startswith("test_") for name in names), f"{path.relative_to(ROOT)} tests nothing"


def test_the_list_of_modules_is_not_empty():
    assert len(MODULES) > 5
