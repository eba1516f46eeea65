"""What is read is paid for: budget, ledger, vault, certificate. No torch in this room."""

from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate
from understudy.privacy.ledger import Entry, Ledger
from understudy.privacy.vault import Vault

__all__ = ["Budget", "Certificate", "Entry", "Ledger", "Vault"]
