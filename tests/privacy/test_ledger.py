"""The ledger only grows, pays before it reads, and never pays twice."""

from __future__ import annotations

from understudy.privacy.entry import Entry
from understudy.privacy.ledger import Ledger


def test_entries_are_kept_in_order_and_handed_out_as_a_copy():
    ledger = Ledger()
    first, second = Entry("a", "schema"), Entry("b", "train")
    ledger.write(first)
    before = ledger.entries
    ledger.write(second)
    assert before == (first,)
    assert ledger.entries == (first, second)
