"""What a certificate says follows from its entries, and every change to its file is noticed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from understudy.errors import CorruptModel, ParameterError, VersionError
from understudy.privacy.certificate import Certificate, certify, covering
from understudy.privacy.entry import Entry, digest_of
from understudy.privacy.events import Gaussian, Pure
from understudy.privacy.ledger import Ledger

OPEN = Certificate(
    (Entry("bounds", "schema", columns=("age",)), Entry("all rows", "train", columns=("age", "sex"))),
    ("column names are public",),
    tool="understudy 0.1.0",
    artefacts={"stand-in.csv": "ab" * 32},
)
CLOSED = Certificate(())
NOISY = Certificate((Entry("counts", "train", Gaussian(2.0)),))


def test_rows_read_as_they_are_leave_no_guarantee():
    assert OPEN.status == "none"
    assert not OPEN.sound
    assert OPEN.epsilon() == math.inf
    assert OPEN.epsilon(delta=0.999) == math.inf
    assert OPEN.delta(epsilon=100) == 1
    assert OPEN.mu() == math.inf
    assert OPEN.separation() == pytest.approx(math.sqrt(0.5))
    assert [OPEN.tradeoff(fpr) for fpr in (0, 0.01, 1)] == [1, 1, 1]


def test_nothing_read_reveals_nothing():
    assert CLOSED.status == "sound"
    assert (CLOSED.epsilon(), CLOSED.delta(), CLOSED.mu(), CLOSED.separation()) == (0, 0, 0, 0)
    assert [CLOSED.tradeoff(fpr) for fpr in (0, 0.01, 1)] == [0, 0.01, 1]


def test_one_infinite_entry_among_others_is_enough_to_lose_soundness():
    ledger = Ledger()
    assert certify(ledger).sound
    ledger.write(Entry("one look", "schema"))
    assert certify(ledger).status == "none"


def test_the_unit_and_what_is_not_covered_are_stated():
    assert (OPEN.unit, OPEN.relation) == ("row", "add_remove")
    assert len(OPEN.not_covered) == 4


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), float("inf"), "0.1", None, True, [0.1]], ids=repr)
def test_a_rate_outside_its_range_is_refused(bad):
    with pytest.raises(ParameterError, match="must be a number from 0 to 1"):
        OPEN.epsilon(delta=bad)
    if bad != [0.1]:
        with pytest.raises(ParameterError, match="must be a number from 0 to 1"):
            OPEN.tradeoff(bad)


@pytest.mark.parametrize("bad", [[0.1, 1.1], [[0.1], [0.1, 0.2]], ["0.1"], np.array([True]), [math.nan, 0.5]])
def test_several_rates_of_which_one_is_none_are_refused(bad):
    with pytest.raises(ParameterError, match="must be a number from 0 to 1"):
        NOISY.tradeoff(bad)


@pytest.mark.parametrize(
    "rates", [[0.0, 0.01, 1], (0.01, 0.1), np.array([[0.01, 0.5]]), np.float32([0.25]), []]
)
def test_the_tradeoff_of_several_rates_is_an_array_of_what_each_has(rates):
    found = NOISY.tradeoff(rates)
    assert isinstance(found, np.ndarray) and found.shape == np.shape(rates)
    assert found.ravel().tolist() == [NOISY.tradeoff(float(rate)) for rate in np.ravel(rates)]


@pytest.mark.parametrize("rate", [0.25, np.float64(0.25), np.float32(0.25), np.array(0.25)], ids=repr)
def test_the_tradeoff_of_one_rate_is_a_float_whatever_kind_of_number_it_is(rate):
    assert type(NOISY.tradeoff(rate)) is float
    assert NOISY.tradeoff(rate) == NOISY.tradeoff(0.25) > 0.25


def test_numbers_of_numpy_are_numbers():
    assert NOISY.epsilon(delta=np.float32(0.25)) == NOISY.epsilon(delta=0.25)
    assert NOISY.delta(epsilon=np.int64(1)) == NOISY.delta(epsilon=1)


@pytest.mark.parametrize("bad", [-0.1, float("nan"), "1", None, True], ids=repr)
def test_an_epsilon_below_zero_or_no_number_is_refused(bad):
    with pytest.raises(ParameterError, match="epsilon must be a number >= 0"):
        OPEN.delta(epsilon=bad)


def test_a_certificate_survives_its_json():
    for certificate in (OPEN, CLOSED):
        assert Certificate.from_json(certificate.to_json()) == certificate
        assert Certificate.from_json(certificate.to_json().encode()) == certificate
    strict = json.loads(OPEN.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert strict["figures"]["epsilon at delta 1e-9"] is None


def test_covering_files_changes_the_certificate_and_not_its_entries():
    bound = covering(CLOSED, {"a.csv": "00" * 32})
    assert bound.artefacts == {"a.csv": "00" * 32}
    assert bound.entries == CLOSED.entries
    assert CLOSED.artefacts == {}


def tampered(change):
    tree = json.loads(OPEN.to_json())
    change(tree)
    return json.dumps(tree)


def set_to(**parts):
    return lambda tree: tree.update(parts)


TAMPERINGS = {
    "an entry removed": lambda tree: tree["entries"].pop(0),
    "the last entry cut off": lambda tree: tree["entries"].pop(),
    "all entries removed": lambda tree: tree["entries"].clear(),
    "entries in another order": lambda tree: tree["entries"].reverse(),
    "an entry repeated": lambda tree: tree["entries"].append(tree["entries"][0]),
    "a reason altered": lambda tree: tree["entries"][0].update(what="nothing"),
    "a phase altered": lambda tree: tree["entries"][0].update(phase="tune"),
    "a column left out": lambda tree: tree["entries"][1]["columns"].pop(),
    "the columns as one text": lambda tree: tree["entries"][0].update(columns="age"),
    "the status altered": set_to(status="sound"),
    "the chain altered": set_to(chain="0" * 64),
    "the chain gone": lambda tree: tree.pop("chain"),
    "a figure altered": lambda tree: tree["figures"].update({"mu": 0.1}),
    "the figures gone": lambda tree: tree.pop("figures"),
    "the unit altered": set_to(unit="person"),
    "the unit made a list": set_to(unit=["row"]),
    "the relation altered": set_to(relation="replace"),
    "an assumption removed": set_to(assumptions=[]),
    "what is not covered removed": set_to(not_covered=[]),
    "a file's hash altered": lambda tree: tree["artefacts"].update({"stand-in.csv": "cd" * 32}),
    "a file added": lambda tree: tree["artefacts"].update({"other.csv": "cd" * 32}),
    "the tool altered": set_to(tool="something else"),
    "a word added": set_to(guarantee="perfect"),
    "the seal gone": lambda tree: tree.pop("seal"),
    "the seal altered": set_to(seal="0" * 64),
    "the format a text": set_to(format="1"),
    "the format infinite": set_to(format=float("inf")),
    "the format of old": set_to(format=0),
    "entries no list": set_to(entries=5),
    "entries of nothing": set_to(entries=[None]),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_certificate_that_was_tampered_with_is_refused(name):
    with pytest.raises(CorruptModel, match=r"certificate|ledger"):
        Certificate.from_json(tampered(TAMPERINGS[name]))


def test_hiding_an_entry_and_mending_the_chain_still_shows():
    def change(tree):
        tree["entries"] = []
        tree["chain"] = digest_of(())

    with pytest.raises(CorruptModel):
        Certificate.from_json(tampered(change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "5", '"text"', "{}", b"\xff\xfe\x00", "[" * 100_000])
def test_what_is_not_a_certificate_is_refused(text):
    with pytest.raises(CorruptModel):
        Certificate.from_json(text)


def test_a_newer_format_asks_for_an_update():
    with pytest.raises(VersionError, match="newer than 1; update understudy"):
        Certificate.from_json(tampered(set_to(format=2)))


def test_an_unknown_mechanism_asks_for_an_update():
    with pytest.raises(VersionError, match="update understudy"):
        Certificate.from_json(tampered(lambda tree: tree["entries"][0].update(event={"event": "Magic"})))


def test_no_delta_is_left_at_an_infinite_epsilon_but_what_was_set_aside():
    assert CLOSED.delta(epsilon=math.inf) == 0
    assert NOISY.delta(epsilon=math.inf) < 1e-300
    aside = Certificate((*NOISY.entries, Entry("levels", "schema", Pure(0.0, 1e-9))))
    assert aside.delta(epsilon=math.inf) == pytest.approx(1e-9)
