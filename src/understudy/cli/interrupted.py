"""What is said when somebody stops a command; it loads next to nothing, for that may be at any moment."""

from __future__ import annotations

import json
import sys

__all__ = ["INTERRUPTED", "interrupted"]

INTERRUPTED = 130  # as a shell has it: 128 and the number of the signal
_MESSAGE = "interrupted; no half-written file is left."


def interrupted(*, as_json: bool) -> int:
    """Say that the command was stopped, and return its exit code."""
    if as_json:
        told = {"type": "Interrupted", "message": _MESSAGE, "exit_code": INTERRUPTED}
        print(json.dumps({"error": told}, indent=1))
    else:
        print(f"error: {_MESSAGE}", file=sys.stderr)
    return INTERRUPTED
