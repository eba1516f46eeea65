"""The ledger only grows, and its chain shows every change."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given, strategies as st

from understudy.errors import CorruptModel, UnderstudyError, VersionError
from understudy.privacy.ledger import Entry, Ledger, digest_of, entry_from_dict

PHASES = ["schema", "preprocess", "select", "measure", "train", "tune", "sample", "evaluate"]
entries = st.builds(
    Entry,
    st.text(max_size=5),
    st.sampled_from(PHASES),
    st.just("none"),
    st.lists(st.text(max_size=3), max_size=3).map(tuple),
)


def test_entries_are_kept_in_order_and_handed_out_as_a_copy():
    ledger = Ledger()
    first, second = Entry("a", "schema"), Entry("b", "train")
    ledger.write(first)
    before = ledger.entries
    ledger.write(second)
    assert before == (first,)
    assert ledger.entries == (first, second)


def test_an_entry_that_saw_rows_as_they_are_has_an_infinite_price():
    assert Entry("all rows", "train").infinite


@given(st.lists(entries, max_size=5), st.data())
def test_removing_altering_moving_or_adding_an_entry_changes_the_chain(written, data):
    chain = digest_of(written)
    added = [*written, data.draw(entries)]
    assert digest_of(added) != chain
    if not written:
        return
    place = data.draw(st.integers(0, len(written) - 1))
    without = written[:place] + written[place + 1 :]
    assert digest_of(without) != chain
    altered = list(written)
    altered[place] = replace(written[place], what=written[place].what + "!")
    assert digest_of(altered) != chain
    moved = written[1:] + written[:1]
    assert (digest_of(moved) == chain) == (moved == written)


def test_the_chain_is_known_so_that_a_change_of_format_is_noticed():
    assert digest_of([]) == "0" * 64
    assert digest_of([Entry("all rows", "train", "none", ("age",))]) == (
        "882623a7b5bbc4d4716ce95543888d326aad14e8686a12139a9e48f5705c31e8"
    )


@given(entries)
def test_an_entry_survives_being_written_down(entry):
    assert entry_from_dict(asdict(entry)) == entry


GOOD = {"what": "rows", "phase": "train", "mechanism": "none", "columns": ["age"]}


@pytest.mark.parametrize("tree", [
    {}, [], None, 5, "entry", {**GOOD, "price": 1}, {k: v for k, v in GOOD.items() if k != "columns"},
    {**GOOD, "what": 5}, {**GOOD, "what": None}, {**GOOD, "columns": "age"}, {**GOOD, "columns": None},
    {**GOOD, "columns": [1]}, {**GOOD, "columns": {"age": 1}},
], ids=repr)  # fmt: skip
def test_an_entry_that_does_not_hold_what_it_must_is_refused(tree):
    with pytest.raises(CorruptModel, match=r"^ledger: "):
        entry_from_dict(tree)


@pytest.mark.parametrize("change", [
    {"mechanism": "gaussian"}, {"mechanism": None}, {"phase": "later"}, {"phase": None},
])  # fmt: skip
def test_an_entry_of_a_kind_that_is_not_known_is_refused_and_never_guessed(change):
    with pytest.raises(VersionError, match="update understudy") as caught:
        entry_from_dict({**GOOD, **change})
    assert isinstance(caught.value, UnderstudyError)
