"""The source tree as the house rules see it: parsed files, and a throw-away copy to break."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"__pycache__", "demo", "build", "dist", "shared", "carry", "node_modules"}


@dataclass(frozen=True)
class Source:
    """One Python file: where it is, its text, its syntax tree."""

    path: Path
    root: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def name(self) -> str:
        return self.path.relative_to(self.root).as_posix()

    def at(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


def sources(root: Path, folder: str = "src/understudy") -> list[Source]:
    """Return every Python file below one folder of a checkout."""
    return [Source(path, root) for path in sorted((root / folder).rglob("*.py"))]


def text_files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, text) for every file a reader of the repository can open."""
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if not path.is_file() or any(_is_left_out(part) for part in parts):
            continue
        try:
            yield "/".join(parts), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # an image or an archive holds no prose


def copy_to(folder: Path) -> Path:
    """Copy what the rules read into `folder`, so that a test may spoil it."""
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=skip)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=skip)
    for name in ("pyproject.toml", "README.md", "Makefile"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def _is_left_out(part: str) -> bool:
    return part in LEFT_OUT or part.endswith(".egg-info") or (part.startswith(".") and part not in {".ci"})
