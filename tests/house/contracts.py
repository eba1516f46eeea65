"""Runs the import contracts of pyproject.toml on any copy of the tree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_CALL = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


def lint(root: Path, *contracts: str) -> tuple[int, str]:
    """Return the exit code and the output of import-linter, for all contracts or those named."""
    chosen = [word for contract in contracts for word in ("--contract", contract)]
    done = subprocess.run(
        [sys.executable, "-c", _CALL, "--config", str(root / "pyproject.toml"), "--no-cache", *chosen],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
