"""An entry, how it is written down, and the chain over all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from understudy.errors import CorruptModel, UnderstudyError, VersionError
from understudy.privacy.entry import Entry, digest_of, entry_from_dict, entry_to_dict, under
from understudy.privacy.events import Gaussian, Open

PHASES = ["schema", "preprocess", "select", "measure", "train", "tune", "sample", "evaluate"]
entries = st.builds(
    Entry,
    st.text(max_size=5),
    st.sampled_from(PHASES),
    st.sampled_from([Open(), Gaussian(2.0)]),
    st.lists(st.text(max_size=3), max_size=3).map(tuple),
)


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
    assert digest_of([Entry("all rows", "train", columns=("age",))]) == (
        "2d94e33d53a1f144a1b3bb4dc90a4a9e70db1d83019b098ee101a06026196cff"
    )


@given(entries)
def test_an_entry_survives_being_written_down(entry):
    assert entry_from_dict(entry_to_dict(entry)) == entry


GOOD = entry_to_dict(Entry("rows", "train", columns=("age",)))


@pytest.mark.parametrize("tree", [
    {}, [], None, 5, "entry", {**GOOD, "price": 1}, {k: v for k, v in GOOD.items() if k != "columns"},
    {**GOOD, "what": 5}, {**GOOD, "what": None}, {**GOOD, "columns": "age"}, {**GOOD, "columns": None},
    {**GOOD, "columns": [1]}, {**GOOD, "columns": {"age": 1}},
], ids=repr)  # fmt: skip
def test_an_entry_that_does_not_hold_what_it_must_is_refused(tree):
    with pytest.raises(CorruptModel, match=r"^ledger: "):
        entry_from_dict(tree)


@pytest.mark.parametrize("change", [
    {"event": {"event": "Magic"}}, {"event": {}}, {"phase": "later"}, {"phase": None},
])  # fmt: skip
def test_an_entry_of_a_kind_that_is_not_known_is_refused_and_never_guessed(change):
    with pytest.raises(VersionError, match="update understudy") as caught:
        entry_from_dict({**GOOD, **change})
    assert isinstance(caught.value, UnderstudyError)


def test_a_condition_is_added_once_and_only_to_what_has_a_price():
    paid = Entry("sums", "measure", Gaussian(2.0), condition="a")
    assert under(paid, "") == under(paid, "a") == paid
    assert under(under(paid, "b"), "b; a; c").condition == "a; b; c"
    assert under(Entry("rows", "train"), "b").condition == ""
