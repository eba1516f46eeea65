"""Whether networks can be trained here: torch is an extra, and whoever needs it is told how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from understudy.errors import MissingExtra

__all__ = ["require_torch"]


def require_torch(who: str) -> None:
    """Refuse, with the line that installs it, where torch is not there; nothing is loaded to find out."""
    if find_spec("torch") is None:
        raise MissingExtra(f'{who}: torch is not installed; run: pip install "understudy[neural]"')
