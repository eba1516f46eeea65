"""A check that cannot fail proves nothing: each one is shown a deliberate violation."""

import pytest

from house import names, prose, sizes
from house.contracts import lint
from house.tree import copy_to

UPWARD = [
    ("errors", "check"),
    ("check", "privacy.ledger"),
    ("rng", "table.table"),
    ("privacy.ledger", "table.table"),
    ("table.table", "codec.plan"),
    ("codec.plan", "model.model"),
    ("model.model", "synth.copy"),
    ("synth.copy", "attacks.dpi"),
    ("metrics.wasserstein", "federated.rounds"),
    ("attacks.dpi", "study.audit"),
    ("study.audit", "cli.main"),
    ("cli.main", "__main__"),
]
SIDEWAYS = [
    ("engines.nets", "table.table"),
    ("table.table", "report.html"),
    ("report.html", "table.table"),
    ("report.html", "engines.nets"),
    ("metrics.wasserstein", "synth.copy"),
    ("synth.copy", "metrics.wasserstein"),
    ("attacks.dpi", "federated.rounds"),
    ("cli.main", "testing.suite"),
]
OTHER_CONTRACTS = [
    ("synthesizers", "synth.half", "understudy.synth.copy"),
    ("metrics", "metrics.resemblance", "understudy.metrics.wasserstein"),
    ("attacks", "attacks.mds", "understudy.attacks.dpi"),
    ("torch", "table.schema", "torch"),
    ("torch", "metrics.wasserstein", "torch.nn"),
    ("torch", "cli.main", "torch"),
    ("report", "report.html", "understudy.table"),
    ("report", "report.html", "pandas"),
    ("engines", "engines.nets", "pyarrow"),
    ("engines", "engines.nets", "polars"),
    ("front-door", "synth.copy", "understudy"),
]

LONG_FUNCTION = "def run() -> None:\n" + "    x = 1\n" * 41
MANY_METHODS = "from typing import final\n@final\nclass Wide:\n" + "".join(
    f"    def m{i}(self) -> None: ...\n" for i in range(11)
)
TOO_LARGE = [
    ("table/tall.py", "x = 1\n" * 401, "401 lines"),
    ("table/long.py", LONG_FUNCTION, "42 lines of code"),
    ("table/greedy.py", "def run(a, b, c, d, e, f): ...\n", "6 positional"),
    ("table/wide.py", MANY_METHODS, "11 methods"),
    ("engines/nets/layers/deep.py", "", "3 folders deep"),
]
BADLY_NAMED = [
    ("utils/__init__.py", "", "nothing is called utils"),
    ("table/common.py", "", "nothing is called common"),
    ("table/helpers.py", "", "nothing is called helpers"),
    ("core.py", "", "nothing is called core"),
    ("table/a.py", "from abc import ABC\nclass BaseTable(ABC): ...\n", "no Base"),
    ("table/a.py", "from typing import final\n@final\nclass TableManager: ...\n", "no Base"),
    ("table/a.py", "class Open: ...\n", "neither final nor abstract"),
    ("table/a.py", "@final\nclass A(B):\n    def f(self):\n        super().f()\n", "calls super()"),
]
UNSAFE = [
    ("import pickle\n", "imports pickle"),
    ("from joblib import load\n", "imports joblib"),
    ("import random\n", "imports random"),
    ("x = eval('1')\n", "calls eval"),
    ("exec('x = 1')\n", "calls exec"),
    ("import torch\nx = torch.load('m')\n", "calls torch.load"),
    ("import numpy as np\nx = np.load('m', allow_pickle=True)\n", "calls np.load"),
    ("import numpy as np\nnp.random.seed(0)\n", "uses the global generator"),
    ("import numpy as np\nx = np.random.rand(3)\n", "uses the global generator"),
    ("print('hello')\n", "prints outside the command line"),
    ("try:\n    x = 1\nexcept Exception: pass\n", "swallows Exception"),
    ("try:\n    x = 1\nexcept OSError:\n    pass\n", "swallows OSError"),
    ("try:\n    x = 1\nexcept:\n    x = 2\n", "catches every error"),
    ("import contextlib\nwith contextlib.suppress(Exception):\n    x = 1\n", "suppresses every error"),
    ("def peek(vault):\n    return vault._columns\n", "reaches inside vault._columns"),
    ("def later():\n    raise NotImplementedError\n", "an unfinished function"),
]
OUT_OF_PLACE = [
    ("https://py" + "pi.org/project", "a package registry"),
    ("pip install --index" + "-url x", "a package registry"),
    ("see /ho" + "me/ann/notes", "a path of one machine"),
    ("see /ro" + "ot/notes", "a path of one machine"),
]


@pytest.fixture
def tree(tmp_path):
    return copy_to(tmp_path)


def write(tree, module, text):
    """Append to a module of the copy; rooms on the way are made where they are not there yet."""
    package = tree / "src" / "understudy"
    path = package / (module if module.endswith(".py") else module.replace(".", "/") + ".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in [path.parent, *path.parent.parents]:
        if folder.is_relative_to(package):
            (folder / "__init__.py").touch()
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_the_copy_itself_keeps_every_contract(tree):
    code, output = lint(tree)
    assert code == 0, output


@pytest.mark.parametrize(("lower", "upper"), UPWARD + SIDEWAYS, ids=lambda name: name)
def test_an_import_against_the_layers_is_refused(tree, lower, upper):
    write(tree, upper, "")
    write(tree, lower, f"\nimport understudy.{upper}\n")
    code, output = lint(tree, "layers")
    assert code == 1
    assert f"understudy.{lower} -> understudy.{upper}" in output


def test_a_room_without_a_place_in_the_layers_is_refused(tree):
    write(tree, "attic.boxes", "")
    code, output = lint(tree, "layers")
    assert code == 1
    assert "understudy.attic" in output


@pytest.mark.parametrize(("contract", "module", "imported"), OTHER_CONTRACTS)
def test_an_import_against_a_contract_is_refused(tree, contract, module, imported):
    if imported.startswith("understudy.") and imported.count(".") > 1:
        write(tree, imported.removeprefix("understudy."), "")
    write(tree, module, f"\nimport {imported}\n")
    code, output = lint(tree, contract)
    assert code == 1
    assert f"understudy.{module} -> {imported.removesuffix('.nn')}" in output


@pytest.mark.parametrize("module", ["engines.nets", "synth.copy", "attacks.dpi", "federated.a", "study.a"])
def test_torch_is_allowed_where_networks_live(tree, module):
    write(tree, module, "\nimport torch\n")
    code, output = lint(tree, "torch")
    assert code == 0, output


@pytest.mark.parametrize(("path", "text", "complaint"), TOO_LARGE, ids=lambda value: value[:30])
def test_what_is_too_large_is_refused(tree, path, text, complaint):
    write(tree, path, text)
    assert any(path in line and complaint in line for line in sizes.problems(tree))


@pytest.mark.parametrize(("path", "text", "complaint"), BADLY_NAMED, ids=lambda value: value[:30])
def test_what_is_badly_named_or_built_is_refused(tree, path, text, complaint):
    write(tree, path, text)
    assert any(path in line and complaint in line for line in names.problems(tree))


@pytest.mark.parametrize(("text", "complaint"), UNSAFE)
def test_unsafe_code_is_refused(tree, text, complaint):
    write(tree, "table/unsafe.py", text)
    assert any("table/unsafe.py" in line and complaint in line for line in prose.code_problems(tree))


@pytest.mark.parametrize(("text", "complaint"), OUT_OF_PLACE)
def test_an_address_or_a_path_that_does_not_belong_here_is_refused(tree, text, complaint):
    (tree / "NOTES.md").write_text(text, encoding="utf-8")
    assert any("NOTES.md" in line and complaint in line for line in prose.text_problems(tree))


def test_a_docstring_and_comments_do_not_make_a_function_long(tree):
    quiet = '    """First.\n\n' + "    more\n" * 50 + '    """\n' + "    # why\n" * 50 + "    return None\n"
    write(tree, "table/quiet.py", "def run() -> None:\n" + quiet)
    assert not any("table/quiet.py" in line for line in sizes.problems(tree))
