"""How large a file, a function, a class and a folder may be."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from house.tree import Source, sources

LARGEST_FILE = 400
LONGEST_FUNCTION = 40
MOST_POSITIONAL = 5
MOST_METHODS = 10
DEEPEST = 2

_NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def problems(root: Path) -> list[str]:
    """Return one line for everything in the package that is too large."""
    found = []
    for source in sources(root):
        found += _file(source) + _depth(source)
        lines = _code_lines(source)
        for owner, function in _functions(source.tree):
            found += _function(source, function, lines) + _parameters(source, function, owner)
        found += [
            line
            for node in ast.walk(source.tree)
            if isinstance(node, ast.ClassDef)
            for line in _class(source, node)
        ]
    return found


def _file(source: Source) -> list[str]:
    count = len(source.text.splitlines())
    return [f"{source.name}: {count} lines; at most {LARGEST_FILE}"] if count > LARGEST_FILE else []


def _depth(source: Source) -> list[str]:
    folders = len(source.path.relative_to(source.root / "src" / "understudy").parts) - 1
    return [f"{source.name}: {folders} folders deep; at most {DEEPEST}"] if folders > DEEPEST else []


def _function(source: Source, node: Function, lines: set[int]) -> list[str]:
    count = len([line for line in lines if node.lineno <= line <= (node.end_lineno or node.lineno)])
    if count <= LONGEST_FUNCTION:
        return []
    return [f"{source.at(node)}: {node.name} has {count} lines of code; at most {LONGEST_FUNCTION}"]


def _parameters(source: Source, node: Function, owner: ast.ClassDef | None) -> list[str]:
    names = [argument.arg for argument in node.args.posonlyargs + node.args.args]
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    count = len(names) - (owner is not None and not static)
    # A kernel is launched, and called by nobody; what launches it has no other way to hand things over.
    kernel = any(isinstance(d, ast.Name) and d.id == "_kernel" for d in node.decorator_list)
    if count <= MOST_POSITIONAL or kernel:
        return []
    return [f"{source.at(node)}: {node.name} takes {count} positional parameters; at most {MOST_POSITIONAL}"]


def _class(source: Source, node: ast.ClassDef) -> list[str]:
    methods = {
        item.name for item in node.body if isinstance(item, Function) and not item.name.startswith("__")
    }  # a set: the overloads and the setter of one name are one method
    if len(methods) <= MOST_METHODS:
        return []
    return [f"{source.at(node)}: {node.name} has {len(methods)} methods; at most {MOST_METHODS}"]


def _functions(tree: ast.Module) -> list[tuple[ast.ClassDef | None, Function]]:
    owners = {
        id(item): node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body
    }
    return [(owners.get(id(node)), node) for node in ast.walk(tree) if isinstance(node, Function)]


def _code_lines(source: Source) -> set[int]:
    """Return the lines that hold code: no blanks, no comments, no docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type not in _NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(source.tree):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            text = node.body[0]
            lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return lines
