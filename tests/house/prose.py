"""What must never stand in the repository, in its text or in its code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from house.tree import Source, sources, text_files

# The patterns are put together from halves so that this file does not match itself.
FORBIDDEN_TEXT = {
    "a package registry": re.compile(
        "|".join(["py" + r"pi\.org", "python" + "hosted", "index" + "-url", r"/simp" + "le/"])
    ),
    "a path of one machine": re.compile(
        r"(?<![\w.~$)}])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me/\w+|Us" + r"ers/\w+)/"
    ),
}
UNSAFE_MODULES = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib", "random"}
UNSAFE_NAMES = {"eval", "exec", "compile", "__import__"}
UNSAFE_CALLS = {"torch.load", "torch.manual_seed", "yaml.load", "os.system", "numpy.load", "np.load"}
SAFE_RANDOM = {"default_rng", "Generator", "SeedSequence", "BitGenerator", "PCG64", "Philox"}
BROAD = {"", "Exception", "BaseException"}


def text_problems(root: Path) -> list[str]:
    """Return one line for every forbidden address or path in any text file."""
    return [
        f"{name}: holds {what}: {match.group()}"
        for name, text in text_files(root)
        for what, pattern in FORBIDDEN_TEXT.items()
        for match in pattern.finditer(text)
    ]


def code_problems(root: Path) -> list[str]:
    """Return one line for everything the package's code must not do."""
    found = []
    for source in sources(root):
        for node in ast.walk(source.tree):
            found += [f"{source.at(node)}: {what}" for what in _faults(node, source)]
    return found


def _faults(node: ast.AST, source: Source) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _imports(node)
    if isinstance(node, ast.Call):
        return _call(node, in_cli=source.name.startswith("src/understudy/cli/"))
    if isinstance(node, ast.Attribute):
        return _global_random(node) + _reach_inside(node)
    if isinstance(node, ast.ExceptHandler):
        return _handler(node)
    if isinstance(node, ast.Raise):
        unfinished = "NotImplementedError" in ast.unparse(node)
        return ["an unfinished function"] if unfinished else []
    return []


def _imports(node: ast.Import | ast.ImportFrom) -> list[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return [f"imports {name}" for name in names if name.split(".")[0] in UNSAFE_MODULES]


def _call(node: ast.Call, *, in_cli: bool) -> list[str]:
    name = ast.unparse(node.func)
    if name in UNSAFE_NAMES or name in UNSAFE_CALLS:
        return [f"calls {name}"]
    if name == "print" and not in_cli:
        return ["prints outside the command line"]
    if name.split(".")[-1] == "suppress" and {ast.unparse(a) for a in node.args} & BROAD:
        return ["suppresses every error"]
    pickled = [k for k in node.keywords if k.arg == "allow_pickle" and ast.unparse(k.value) != "False"]
    return ["allows pickles"] if pickled else []


def _global_random(node: ast.Attribute) -> list[str]:
    owner = ast.unparse(node.value)
    if owner in {"np.random", "numpy.random"} and node.attr not in SAFE_RANDOM:
        return [f"uses the global generator: {owner}.{node.attr}"]
    return []


def _reach_inside(node: ast.Attribute) -> list[str]:
    """Find private attributes of other objects: this is how a vault could be read without its ledger."""
    # How often a torch tensor was changed in place, work on many tensors at once, and Adam's kernel have no
    # other name.
    private = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr != "_version"
    own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
    own |= ast.unparse(node).startswith(("torch._foreach_", "torch._fused_adam"))
    return [f"reaches inside {ast.unparse(node)}"] if private and not own else []


def _handler(node: ast.ExceptHandler) -> list[str]:
    kind = ast.unparse(node.type) if node.type else ""
    silent = all(
        isinstance(item, ast.Pass | ast.Continue) or ast.unparse(item) == "..." for item in node.body
    )
    reraises = any(isinstance(item, ast.Raise) for item in ast.walk(node))
    if silent and len(node.body) == 1 and isinstance(node.body[0], ast.Pass):
        return [f"swallows {kind or 'every error'} in silence"]
    return [f"catches {kind or 'every error'} and goes on"] if kind in BROAD and not reraises else []
