from contextlib import contextmanager

import numpy as np
import pytest

from understudy.errors import UnderstudyError
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, Gaussian
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.replay import current_tape, overreach, recording, replaying, strays, stubbed

COUNTS, SUMS = DiscreteGaussian(50.0, count=4), Gaussian(50.0, count=2)


def vault_of(codes):
    ledger = Ledger()
    entries = [
        Entry("counts", "measure", COUNTS, name="counts"),
        Entry("sums", "measure", SUMS, name="sums"),
    ]
    stream = ledger.reserve(entries, Budget(epsilon=5.0, delta=1e-6))
    return Vault({"code": np.array(codes, dtype=np.int32)}, ledger, stream)


def count(size=3):
    return CountTables((Margin(("code",), (size,)),), DiscreteGaussian(50.0))


def total(clip=1.0):
    return ClippedSums(lambda rows: rows["code"][:, None] * 1.0, ("code",), 1, clip, Gaussian(50.0))


def run(codes, *mechanisms):
    vault = vault_of(codes)
    names = {CountTables: "counts", ClippedSums: "sums"}
    return [vault.read(names[type(mechanism)], mechanism) for mechanism in mechanisms], vault


def test_outside_a_tape_there_is_none():
    assert current_tape() is None
    with recording() as tape:
        assert current_tape() is tape
    assert current_tape() is None


def test_a_recorded_run_is_stamped_as_not_private():
    with recording():
        _, vault = run([0, 1], count())
    assert any(entry.infinite and entry.what.startswith("NOT PRIVATE") for entry in vault.ledger.entries)
    assert not any(entry.infinite for entry in run([0, 1], count())[1].ledger.entries)


def test_a_tape_holds_names_mechanisms_what_they_saw_and_what_they_released():
    with recording() as tape:
        released, _ = run([0, 1, 1], count(), total())
    assert [step.name for step in tape.steps] == ["counts", "sums"]
    assert tape.steps[0].statistic.tolist() == [1, 2, 0, 0]
    assert np.array_equal(tape.steps[1].output, released[1])


def test_the_seed_of_a_recording_fixes_its_noise():
    def first(seed):
        with recording(seed) as tape:
            run([0], count())
        return tape.steps[0].output[0].tolist()

    assert first(1) == first(1) != first(2)


def test_a_replay_gives_what_was_recorded_and_sees_the_new_rows():
    with recording() as recorded:
        run([0, 1, 1], count())
    with replaying(recorded) as replayed:
        released, _ = run([0, 1], count())
    assert np.array_equal(released[0][0], recorded.steps[0].output[0])
    assert replayed.steps[0].statistic.tolist() == [1, 1, 0, 0]
    assert strays(recorded, replayed) == []
    assert overreach(recorded, replayed) == []


def test_what_a_run_does_to_a_release_does_not_reach_the_tape():
    with recording() as recorded:
        run([0], count())
    before = recorded.steps[0].output[0].copy()
    for again in (replaying, stubbed):
        with again(recorded):
            run([0], count())[0][0][0][:] = 0
    assert np.array_equal(recorded.steps[0].output[0], before)


def test_a_read_that_was_not_the_next_one_recorded_is_refused():
    with recording() as recorded:
        run([0], count(), total())
    with replaying(recorded), pytest.raises(UnderstudyError, match="was not the next one recorded"):
        run([0], total(), count())
    with replaying(recorded), pytest.raises(UnderstudyError, match="was not the next one recorded"):
        run([0], count(), total(), count())


def test_fewer_reads_are_strays():
    with recording() as recorded:
        run([0], count(), total())
    with replaying(recorded) as replayed:
        run([0], count())
    assert strays(recorded, replayed) == ["2 reads became 1"]


@pytest.mark.parametrize(("first", "second"), [(count(3), count(4)), (total(1.0), total(2.0))])
def test_a_question_with_another_parameter_is_a_stray(first, second):
    with recording() as recorded:
        run([0], first)
    with replaying(recorded) as replayed:
        run([0], second)
    assert "asks something else" in strays(recorded, replayed)[0]


def test_another_rule_for_rows_is_a_stray():
    other = ClippedSums(lambda rows: rows["code"][:, None] * 2.0, ("code",), 1, 1.0, Gaussian(50.0))
    with recording() as recorded:
        run([0], total())
    with replaying(recorded) as replayed:
        run([0], other)
    assert strays(recorded, replayed)


@pytest.mark.parametrize("codes", [[0, 1, 1, 1], [1, 1, 1, 1]])
def test_more_than_one_row_is_an_overreach(codes):
    with recording() as recorded:
        run([0, 0], count())
    with replaying(recorded) as replayed:
        run(codes, count())
    assert "at most 1 is declared" in overreach(recorded, replayed)[0]


def test_statistics_of_two_shapes_are_an_overreach():
    with recording() as recorded:
        run([0], count(3))
    with replaying(recorded) as replayed:
        run([0], count(9))
    assert "moved by inf" in overreach(recorded, replayed)[0]


def test_a_stub_looks_at_nothing():
    with recording() as recorded:
        run([0], count())
    with stubbed(recorded):
        released, _ = run([2] * 99, count())
    assert np.array_equal(released[0][0], recorded.steps[0].output[0])


def test_a_mechanism_releases_within_what_an_auditor_puts_around_it():
    seen = []

    @contextmanager
    def around(mechanism):
        seen.append(type(mechanism).__name__)
        yield
        seen.append("done")

    with recording(1, around):
        (heard,), _ = run([0, 1], count())
    with recording(1):
        (plain,), _ = run([0, 1], count())
    assert seen == ["CountTables", "done"]
    assert np.array_equal(heard[0], plain[0])
