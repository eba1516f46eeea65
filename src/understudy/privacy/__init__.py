"""What is read is paid for: budget, ledger, vault, certificate. No torch in this room."""

from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate, certify
from understudy.privacy.entry import Entry
from understudy.privacy.ledger import Ledger
from understudy.privacy.plan import Ask, allot
from understudy.privacy.vault import Vault

__all__ = ["Ask", "Budget", "Certificate", "Entry", "Ledger", "Vault", "allot", "certify"]
