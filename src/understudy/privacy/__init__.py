"""What is read is paid for: budget, ledger, vault, certificate. No torch in this room.

Names are looked up when they are first used: a ledger opens without loading the accountants.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy.privacy.budget import Budget
    from understudy.privacy.certificate import Certificate, certify
    from understudy.privacy.entry import Entry
    from understudy.privacy.ledger import Ledger
    from understudy.privacy.plan import Ask, allot
    from understudy.privacy.vault import Vault

__all__ = ["Ask", "Budget", "Certificate", "Entry", "Ledger", "Vault", "allot", "certify"]

_HOME = {"Ask": "plan", "allot": "plan", "certify": "certificate"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME.get(name, name.lower())
    globals()[name] = value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    return value
