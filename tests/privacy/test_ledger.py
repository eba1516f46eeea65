"""The ledger only grows, pays before it reads, and never pays twice."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import BudgetError, CorruptModel, UnderstudyError, VersionError, WriteError
from understudy.privacy import ledger_file
from understudy.privacy.budget import Budget
from understudy.privacy.entry import Entry, digest_of
from understudy.privacy.events import DiscreteGaussian, Gaussian, GaussianDP, Selection
from understudy.privacy.ledger import Ledger
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.meeting import meets
from understudy.privacy.vault import Vault

ONCE = [Entry("sums", "measure", Gaussian(8.0, 2), because="clipped", name="sums")]  # twice is too much for:
BUDGET = Budget(epsilon=1.0, delta=1e-6)
LARGE = Budget(epsilon=1000.0, delta=1e-6)


def ones(columns):
    return np.stack([columns["a"].astype(float)], axis=1)


SUM = ClippedSums(ones, ("a",), 1, 1.0, Gaussian(8.0))
ROWS = {"a": np.arange(20) % 2}


def most(budget):
    """Return how many runs fit into a budget."""
    return next(n for n in itertools.count() if not meets([ONCE[0].event] * (n + 1), budget))


def keys(folder):
    return sorted(folder.glob("*.key"))


def reads(folder, columns=None, count=2, budget=BUDGET, mechanism=SUM):
    ledger = Ledger(folder)
    stream = ledger.reserve(ONCE, budget, "run")
    vault = Vault(columns or ROWS, ledger, stream)
    return [float(vault.read("sums", mechanism)[0]) for _ in range(count)]


def test_entries_are_kept_in_order_and_handed_out_as_a_copy():
    ledger = Ledger()
    first, second = Entry("a", "schema"), Entry("b", "train")
    ledger.write(first)
    before = ledger.entries
    ledger.write(second)
    assert before == (first,)
    assert ledger.entries == (first, second)


def test_what_was_written_is_there_for_the_next_process(tmp_path):
    Ledger(tmp_path / "new" / "run").write(Entry("a", "schema"))
    assert Ledger(tmp_path / "new" / "run").entries == (Entry("a", "schema"),)


def test_a_whole_run_is_paid_for_before_anything_is_read(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.reserve([*ONCE, Entry("more", "select", Selection(0.001), name="more")], BUDGET)
    assert [entry.what for entry in Ledger(tmp_path).entries] == ["sums", "more"]


def test_a_run_beyond_the_budget_is_refused_and_leaves_no_trace(tmp_path):
    for folder in (None, tmp_path):
        ledger = Ledger(folder)
        with pytest.raises(BudgetError, match="does not fit the budget of epsilon 1; nothing is read"):
            ledger.reserve([replace(ONCE[0], event=Gaussian(1.0))], BUDGET)
        assert ledger.entries == ()
    assert keys(tmp_path) == []


def test_what_is_left_is_what_earlier_runs_left_over(tmp_path):
    Ledger(tmp_path).reserve(ONCE, BUDGET, "first")
    with pytest.raises(BudgetError, match="1 earlier entries of this ledger are paid for already"):
        Ledger(tmp_path).reserve(ONCE, BUDGET, "second")


def test_after_rows_were_seen_as_they_are_no_budget_can_be_met(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.write(Entry("rows", "train"))
    with pytest.raises(BudgetError, match="does not fit"):
        ledger.reserve(ONCE, BUDGET)


def test_a_run_that_was_cut_short_is_taken_up_with_the_same_noise_and_at_no_price(tmp_path):
    first = reads(tmp_path, count=1)
    again = [reads(tmp_path) for _ in range(10)]
    assert all(releases == again[0] for releases in again)
    assert again[0][0] == first[0]
    assert again[0][0] != again[0][1]
    assert len(Ledger(tmp_path).entries) == 1


def test_a_retry_in_the_same_process_draws_the_same_noise(tmp_path):
    ledger = Ledger(tmp_path)
    releases = []
    for _ in range(2):
        vault = Vault(ROWS, ledger, ledger.reserve(ONCE, BUDGET, "run"))
        releases.append(vault.read("sums", SUM)[0])
    assert releases[0] == releases[1]
    assert len(ledger.entries) == 1


def test_a_finished_run_has_no_key_and_another_is_paid_for_anew(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.reserve(ONCE, BUDGET, "run")
    ledger.finish()
    assert keys(tmp_path) == []
    with pytest.raises(BudgetError):
        Ledger(tmp_path).reserve(ONCE, BUDGET, "run")
    Ledger(tmp_path).reserve(ONCE, LARGE, "run")
    assert len(Ledger(tmp_path).entries) == 2


def test_a_run_whose_key_is_gone_stays_paid_for_and_a_new_one_draws_other_noise(tmp_path):
    first = reads(tmp_path, budget=LARGE)
    keys(tmp_path)[0].unlink()
    assert reads(tmp_path, budget=LARGE) != first
    assert len(Ledger(tmp_path).entries) == 2


@pytest.mark.parametrize("change", ["altered", "cut", "empty", "exchanged"])
def test_a_key_that_is_not_the_one_that_was_kept_is_never_drawn_from(tmp_path, change):
    first = reads(tmp_path, budget=LARGE)
    key = keys(tmp_path)[0]
    content = key.read_bytes()
    new = {"altered": content[::-1], "cut": content[:16], "empty": b"", "exchanged": os.urandom(32)}[change]
    key.write_bytes(new)
    assert reads(tmp_path, budget=LARGE) != first
    assert len(Ledger(tmp_path).entries) == 2


def test_keys_are_for_the_owner_only(tmp_path):
    reads(tmp_path / "run")
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    for path in [*keys(tmp_path / "run"), tmp_path / "run" / "ledger.sqlite"]:
        assert path.stat().st_mode & 0o777 == 0o600


def test_two_runs_in_one_folder_have_keys_of_their_own_and_neither_takes_the_others_noise(tmp_path):
    def read(run):
        ledger = Ledger(tmp_path)
        return float(Vault(ROWS, ledger, ledger.reserve(ONCE, LARGE, run)).read("sums", SUM)[0])

    first, second = read("a"), read("b")
    assert first != second
    assert len(keys(tmp_path)) == 2
    assert (read("a"), read("b")) == (first, second)
    assert len(Ledger(tmp_path).entries) == 2


def test_a_run_of_the_same_name_with_another_price_is_another_run(tmp_path):
    first = reads(tmp_path, budget=LARGE)
    ledger = Ledger(tmp_path)
    dearer = [replace(ONCE[0], event=Gaussian(4.0, 2))]
    vault = Vault(ROWS, ledger, ledger.reserve(dearer, LARGE, "run"))
    other = vault.read("sums", replace(SUM, price=Gaussian(4.0)))
    assert len(ledger.entries) == 2
    # The same noise at two scales would give the sum away: (r1 - s) / (r2 - s) would be 8 / 4.
    total = ROWS["a"].sum()
    assert (first[0] - total) / (other[0] - total) != pytest.approx(8 / 4, rel=1e-3)


@pytest.mark.parametrize("other", [np.arange(19) % 2, np.arange(21) % 2 + 0.5, np.zeros(20, dtype=int)])
def test_a_run_cannot_be_taken_up_on_another_table_because_its_noise_would_cancel_out(tmp_path, other):
    reads(tmp_path)
    with pytest.raises(BudgetError, match="begun on other rows or with other settings"):
        reads(tmp_path, {"a": other})
    assert len(set(reads(tmp_path))) == 2, "the refusal must not spoil the run"


def test_a_run_cannot_be_taken_up_with_another_mechanism_at_the_same_price(tmp_path):
    reads(tmp_path)
    with pytest.raises(BudgetError, match="begun on other rows or with other settings"):
        reads(tmp_path, mechanism=replace(SUM, clip=0.5))


def test_who_goes_on_after_a_refusal_has_not_got_past_what_was_read_before(tmp_path):
    filtered = [Entry("sums", "measure", GaussianDP(1.0), name="sums")]
    whole, little = replace(SUM, price=Gaussian(1.001)), replace(SUM, price=Gaussian(1e6))
    found = []
    for session in range(4):
        ledger = Ledger(tmp_path)
        vault = Vault(ROWS, ledger, ledger.reserve(filtered, Budget.gdp(mu=1.0), "run"))
        for _ in range(session):
            with pytest.raises(BudgetError, match="begun on other rows or with other settings"):
                vault.read("sums", little)
        found.append(float(vault.read("sums", whole)[0]))
        with pytest.raises(BudgetError, match="reserved for less"):
            vault.read("sums", whole)
    assert len(set(found)) == 1, "the same noise each time: it was paid for once"


def test_a_read_that_fails_before_its_noise_is_drawn_can_be_made_again(tmp_path):
    ledger = Ledger(tmp_path)
    vault = Vault(ROWS, ledger, ledger.reserve(ONCE, LARGE, "run"))

    def fails(_columns):
        raise KeyError

    with pytest.raises(KeyError):
        vault.read("sums", replace(SUM, vectors=fails))
    assert len({float(vault.read("sums", SUM)[0]) for _ in range(2)}) == 2


def test_what_a_witness_says_tells_nothing_without_the_key(tmp_path):
    reads(tmp_path / "one")
    reads(tmp_path / "two")

    def witnesses(folder):
        return sqlite3.connect(folder / "ledger.sqlite").execute("SELECT witness FROM uses").fetchall()

    assert len(witnesses(tmp_path / "one")) == 2
    assert not set(witnesses(tmp_path / "one")) & set(witnesses(tmp_path / "two"))


def test_a_copied_run_folder_cannot_go_on_with_the_same_noise(tmp_path):
    first = reads(tmp_path / "run", budget=LARGE)
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    assert reads(tmp_path / "copy", budget=LARGE) != first
    assert len(Ledger(tmp_path / "copy").entries) == 2
    os.rename(tmp_path / "run", tmp_path / "moved")
    assert reads(tmp_path / "moved", budget=LARGE) == first


def test_a_vault_of_an_earlier_reservation_can_no_longer_be_read(tmp_path):
    for folder in (None, tmp_path):
        ledger = Ledger(folder)
        old = Vault(ROWS, ledger, ledger.reserve(ONCE, LARGE, "a"))
        old.read("sums", SUM)
        ledger.reserve(ONCE, LARGE, "b")
        with pytest.raises(BudgetError, match="reservation was replaced"):
            old.read("sums", SUM)


def test_a_read_that_was_not_reserved_or_is_dearer_is_refused():
    ledger = Ledger()
    vault = Vault(ROWS, ledger, ledger.reserve(ONCE, BUDGET))
    with pytest.raises(BudgetError, match="not reserved as a Gaussian"):
        vault.read("other", SUM)
    counts = CountTables((Margin(("a",), (2,)),), DiscreteGaussian(8.0))
    with pytest.raises(BudgetError, match="not reserved as a DiscreteGaussian"):
        vault.read("sums", counts)
    with pytest.raises(BudgetError, match="reserved for less"):
        vault.read("sums", replace(SUM, price=Gaussian(4.0)))
    vault.read("sums", SUM)
    vault.read("sums", SUM)
    with pytest.raises(BudgetError, match="reserved for less"):
        vault.read("sums", SUM)


def test_a_budget_that_was_lowered_is_checked_when_a_run_is_taken_up(tmp_path):
    reads(tmp_path)
    with pytest.raises(BudgetError, match="does not fit the budget"):
        Ledger(tmp_path).reserve(ONCE, Budget(epsilon=0.1, delta=1e-6), "run")


TAMPERINGS = {
    "an entry removed": "DELETE FROM entries WHERE id = 1",
    "the last entry removed": "DELETE FROM entries WHERE id = 2",
    "all entries removed": "DELETE FROM entries",
    "a price lowered": "UPDATE entries SET body = replace(body, '5.0', '50.0')",
    "a word altered": "UPDATE entries SET body = replace(body, 'sums', 'nothing')",
    "no JSON": "UPDATE entries SET body = '{' WHERE id = 2",
    "a link altered": "UPDATE entries SET chain = 'ab' WHERE id = 1",
    "two exchanged": "UPDATE entries SET id = CASE id WHEN 1 THEN 4 ELSE 1 END",
    "an entry repeated": "INSERT INTO entries SELECT 3, reservation, body, chain FROM entries WHERE id = 2",
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_ledger_that_was_edited_is_refused(tmp_path, name):
    Ledger(tmp_path).write(Entry("sums", "measure", Gaussian(5.0)))
    Ledger(tmp_path).write(Entry("more sums", "measure", Gaussian(5.0)))
    base = sqlite3.connect(tmp_path / "ledger.sqlite")
    base.execute(TAMPERINGS[name])
    base.commit()
    base.close()
    with pytest.raises(CorruptModel, match=r"ledger: .*(altered|put back|must)"):
        Ledger(tmp_path)


def test_a_ledger_put_back_from_a_copy_is_refused(tmp_path):
    Ledger(tmp_path).reserve(ONCE, LARGE, "a")
    shutil.copy(tmp_path / "ledger.sqlite", tmp_path / "backup")
    Ledger(tmp_path).reserve(ONCE, LARGE, "b")
    shutil.copy(tmp_path / "backup", tmp_path / "ledger.sqlite")
    with pytest.raises(CorruptModel, match="put back to an earlier state"):
        Ledger(tmp_path)
    (tmp_path / "ledger.sqlite").unlink()
    with pytest.raises(CorruptModel, match="2 entries were paid for"):
        Ledger(tmp_path)


def test_an_entry_that_another_process_appends_while_the_file_is_opened_is_no_rollback(tmp_path, monkeypatch):
    other = Ledger(tmp_path)
    other.write(Entry("a", "train"))
    connect = ledger_file.connect

    def connect_late(folder):
        base = connect(folder)
        other.write(Entry("b", "train"))
        return base

    monkeypatch.setattr(ledger_file, "connect", connect_late)
    read = ledger_file.read_head

    def read_late(folder):
        head = read(folder)
        other.write(Entry("c", "train"))
        return head

    monkeypatch.setattr(ledger_file, "read_head", read_late)
    assert len(Ledger(tmp_path).entries) == 3


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + bytes(200), os.urandom(5000)])
def test_a_file_that_is_no_ledger_is_refused(tmp_path, content):
    (tmp_path / "ledger.sqlite").write_bytes(content)
    with pytest.raises(UnderstudyError, match="ledger: "):
        Ledger(tmp_path)
    assert (tmp_path / "ledger.sqlite").read_bytes() == content


def test_a_database_that_is_not_a_ledger_is_refused_and_left_alone(tmp_path):
    base = sqlite3.connect(tmp_path / "ledger.sqlite")
    base.execute("CREATE TABLE people (age INTEGER)")
    base.close()
    with pytest.raises(CorruptModel, match="not a ledger"):
        Ledger(tmp_path)


def test_a_newer_format_asks_for_an_update(tmp_path):
    Ledger(tmp_path)
    base = sqlite3.connect(tmp_path / "ledger.sqlite")
    base.execute("PRAGMA user_version = 2")
    base.close()
    with pytest.raises(VersionError, match="format 2 is newer than 1; update understudy"):
        Ledger(tmp_path)


def test_a_place_that_cannot_be_a_run_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match="cannot write into"):
        Ledger(tmp_path / "file")
    with pytest.raises(UnderstudyError, match="ledger: "):
        Ledger(tmp_path / "a\0b")


def test_seals_are_kept_and_the_same_content_is_sealed_once(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.write(Entry("a", "train"))
    ledger.seal("weights", "ab" * 32)
    ledger.write(Entry("b", "train"))
    Ledger(tmp_path).seal("weights", "ab" * 32)
    assert [(seal.part, seal.after) for seal in Ledger(tmp_path).seals] == [("weights", 1)]


steps = st.lists(st.sampled_from(["a", "b", "c", "finish", "lose"]), max_size=12)


@settings(max_examples=25)
@given(steps)
def test_no_history_of_crashes_retries_and_lost_keys_spends_less_than_was_drawn_or_more_than_there_is(
    tmp_path_factory, history
):
    folder = tmp_path_factory.mktemp("run")
    budget, seen, last = Budget(epsilon=2.2, delta=1e-6), set(), None
    for step in history:
        if step == "lose":
            for key in keys(folder):
                key.unlink()
        elif step == "finish" and last is not None:
            last.finish()
        elif step != "finish":
            last = Ledger(folder)  # the one before is dropped, as a crash does
            try:
                vault = Vault(ROWS, last, last.reserve(ONCE, budget, step))
            except BudgetError:
                last = None
                continue
            seen |= {float(vault.read("sums", SUM)[0]), float(vault.read("sums", SUM)[0])}
    entries = Ledger(folder).entries
    assert len(seen) <= 2 * len(entries), "more was drawn than was paid for"
    assert len(entries) <= most(budget), "more was paid for than the budget allows"


SHARED = Budget(epsilon=6.0, delta=1e-6)


def _reserve_many(folder, worker, times):
    won = 0
    for number in range(times):
        try:
            Ledger(folder).reserve(ONCE, SHARED, f"{worker}/{number}")
            won += 1
        except BudgetError:
            pass
    return won


@pytest.mark.parametrize(
    ("processes", "times"), [(3, 10), (3, 20), pytest.param(16, 60, marks=pytest.mark.slow)]
)
def test_several_processes_at_once_spend_exactly_what_there_is(tmp_path, processes, times):
    with ProcessPoolExecutor(processes, mp_context=get_context("forkserver")) as pool:
        won = sum(pool.map(_reserve_many, [tmp_path] * processes, range(processes), [times] * processes))
    ledger = Ledger(tmp_path)
    assert won == len(ledger.entries) == len(keys(tmp_path))
    assert won == min(processes * times, most(SHARED))


def test_opening_and_reading_a_ledger_loads_neither_torch_nor_the_accountants():
    code = (
        "import sys; from understudy.privacy.ledger import Ledger; from understudy.privacy import Entry; "
        "Ledger().write(Entry('a', 'train')); "
        "print([m for m in ('torch', 'scipy', 'dp_accounting', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_chain_of_the_ledger_is_the_chain_of_the_certificate(tmp_path):
    ledger = Ledger(tmp_path)
    ledger.write(Entry("a", "train"))
    ledger.write(Entry("b", "train"))
    link = sqlite3.connect(tmp_path / "ledger.sqlite").execute("SELECT chain FROM entries WHERE id = 2")
    assert link.fetchone()[0] == digest_of(ledger.entries)


def test_a_condition_is_on_every_price_and_a_run_under_another_one_is_another_run(tmp_path):
    paid = Entry("sums", "measure", Gaussian(4.0), condition="own", name="sums")
    for condition in ("", "picked", "picked"):
        ledger = Ledger(tmp_path, condition=condition)
        ledger.reserve([paid], Budget(epsilon=50.0), run="r")
        ledger.close()
    ledger = Ledger(tmp_path, condition="picked")
    ledger.write(Entry("rows", "train"))
    assert [entry.condition for entry in ledger.entries] == ["own", "own; picked", ""]
