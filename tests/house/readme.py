"""Reads the README as the tests need it: its first screen, its snippets, its commands."""

from __future__ import annotations

import re
from pathlib import Path

from house.tree import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text(root: Path = ROOT) -> str:
    """Return the whole README."""
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(language: str, root: Path = ROOT) -> list[str]:
    """Return the fenced blocks of one language."""
    return [body for found, body in _BLOCK.findall(text(root)) if found == language]


def shell_lines(root: Path = ROOT) -> list[str]:
    """Return every command line in the shell blocks, without its comment."""
    lines = [line.split("#")[0].strip() for block in blocks("sh", root) for line in block.splitlines()]
    return [line for line in lines if line]
