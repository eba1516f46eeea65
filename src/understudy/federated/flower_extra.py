"""Whether other machines can be reached: Flower is an extra, and whoever needs it is told how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from understudy.errors import MissingExtra

__all__ = ["require_flower"]


def require_flower(who: str) -> None:
    """Refuse, with the line that installs it, where Flower is not there; nothing is loaded to find out."""
    if find_spec("flwr") is None:
        raise MissingExtra(f'{who}: flwr is not installed; run: pip install "understudy[federated]"')
