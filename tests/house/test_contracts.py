from house.contracts import lint
from house.tree import ROOT


def test_imports_go_one_way():
    code, output = lint(ROOT)
    assert code == 0, output
