"""Copying a skeleton and its test is all it takes: the copies pass their tests and the house rules."""

import os
import subprocess
import sys

import pytest

from house import names, prose, sizes
from house.contracts import lint
from house.tree import ROOT, copy_to

KINDS = [
    ("synthesizer", "synth", "my_method"),
    ("synthesizer", "synth", "bootstrap"),
    ("metric", "metrics", "coverage"),
    ("attack", "attacks", "nearest"),
]


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0]} {kind[2]}")
def added(request, tmp_path):
    """A copy of the tree with one skeleton and its test put in place."""
    kind, room, name = request.param
    tree = copy_to(tmp_path)
    module, test = tree / "src/understudy" / room / f"{name}.py", tree / "tests" / room / f"test_{name}.py"
    for source, target in ((f"{kind}.py", module), (f"test_{kind}.py", test)):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / "docs/skeletons" / source).read_bytes())
    (module.parent / "__init__.py").touch()
    return tree, module, test


def test_a_copied_skeleton_passes_its_copied_test(added):
    tree, _, test = added
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_copied_skeleton_keeps_the_rules_of_the_house(added):
    tree, module, _ = added
    name = module.relative_to(tree).as_posix()
    found = sizes.problems(tree) + names.problems(tree) + prose.code_problems(tree)
    assert [line for line in found if line.startswith(name)] == []


def test_a_copied_skeleton_keeps_the_import_contracts(added):
    tree, module, _ = added
    _, output = lint(tree)
    assert "Contracts:" in output
    assert f"understudy.{module.parent.name}.{module.stem} ->" not in output
