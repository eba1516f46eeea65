import os
import re

from house import readme
from house.tree import ROOT


def test_ci_runs_exactly_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    commands = [line for line in script if line and not line.startswith("#")]
    assert commands[:2] == ["set -eu", 'cd "$(dirname "$0")/.."']
    assert [line.removeprefix("exec ") for line in commands[2:]] == ["make test"]
    assert "make test" in readme.shell_lines()


def test_ci_can_be_executed():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_make_test_runs_pytest_on_everything_that_is_not_slow():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^test:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE).group(1)
    assert recipe.strip().startswith("$(PY) -m pytest -n 2")
    assert "||" not in recipe
    assert "-k" not in recipe.split()
