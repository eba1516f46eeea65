"""What a room, a file and a class may be called, and what kinds of class there are."""

from __future__ import annotations

import ast
import builtins
import re
from pathlib import Path

from house.tree import Source, sources

FORBIDDEN_ROOMS = {"utils", "util", "common", "core", "helpers", "helper", "misc"}
FORBIDDEN_CLASS = re.compile(r"^_?Base[A-Z]|(Base|Manager|Helper|Helpers|Util|Utils|Plugin)$")
SETTLED = {"ABC", "Protocol", "NamedTuple", "TypedDict", "BaseModel", "Enum", "IntEnum", "StrEnum", "Flag"}


def problems(root: Path) -> list[str]:
    """Return one line for every name or class that the house does not allow."""
    files = sources(root)
    exceptions = _exceptions([node for source in files for node in _classes(source)])
    found = []
    for source in files:
        found += _rooms(source)
        for node in _classes(source):
            found += _class_name(source, node)
            if node.name not in exceptions:
                found += _class_kind(source, node) + _super(source, node)
    return found


def _classes(source: Source) -> list[ast.ClassDef]:
    return [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]


def _exceptions(classes: list[ast.ClassDef]) -> set[str]:
    """Return the exceptions among the classes, by following their bases as far as needed."""
    known: set[str] = set()
    while True:
        more = {node.name for node in classes if any(_raisable(_word(base), known) for base in node.bases)}
        if more <= known:
            return known
        known |= more


def _raisable(name: str, known: set[str]) -> bool:
    builtin = getattr(builtins, name, None)
    return name in known or (isinstance(builtin, type) and issubclass(builtin, BaseException))


def _rooms(source: Source) -> list[str]:
    parts = source.path.relative_to(source.root / "src" / "understudy").with_suffix("").parts
    return [
        f"{source.name}: nothing is called {part}" for part in parts if part.strip("_") in FORBIDDEN_ROOMS
    ]


def _class_name(source: Source, node: ast.ClassDef) -> list[str]:
    if not FORBIDDEN_CLASS.search(node.name):
        return []
    return [f"{source.at(node)}: {node.name}: no Base, Manager, Helper, Util or Plugin in a name"]


def _class_kind(source: Source, node: ast.ClassDef) -> list[str]:
    marks = {_word(decorator) for decorator in node.decorator_list}
    bases = {_word(base) for base in node.bases}
    if marks & {"final", "dataclass"} or bases & SETTLED or _is_abstract(node):
        return []
    return [f"{source.at(node)}: {node.name} is neither final nor abstract"]


def _super(source: Source, node: ast.ClassDef) -> list[str]:
    """Find super(): inheritance chains hide code; only an exception has nowhere else to put its message."""
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and _word(call) == "super"]
    return [f"{source.at(call)}: {node.name} calls super()" for call in calls]


def _is_abstract(node: ast.ClassDef) -> bool:
    functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    return any(_word(mark) == "abstractmethod" for function in functions for mark in function.decorator_list)


def _word(node: ast.expr) -> str:
    """Return the last word of a dotted, called or subscripted name."""
    if isinstance(node, ast.Call):
        return _word(node.func)
    if isinstance(node, ast.Subscript):
        return _word(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
