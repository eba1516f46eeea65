"""Judging one candidate: what was found before is not measured again, and a picture that fails is told."""

import pytest

from study.stand_ins import few, tables
from understudy.errors import InputError
from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian
from understudy.result import Result
from understudy.study import judge as room
from understudy.study.judge import judge
from understudy.study.policy import default_policy
from understudy.study.request import Given, Real, Request
from understudy.study.seeing import look
from understudy.table.read import read

__all__ = ["few"]

pytestmark = pytest.mark.usefixtures("few")


def judged(kind="fresh", folder=None, **given):
    shown = {name: read(frame) for name, frame in tables(kind).items()}
    request = Request("quick", 0, default_policy(), workers=0, progress=False, folder=folder)
    candidate = Given("s", shown["synthetic"], **given)
    return judge(candidate, look(candidate, Real(shown["train"], shown["holdout"]), request), request)


def test_an_audit_that_was_cut_short_goes_on(tmp_path, monkeypatch):
    first = judged(folder=tmp_path)
    left = sorted((tmp_path / "work").iterdir())
    assert len(left) == len(first.results)
    left[0].unlink()
    asked = []
    run = room.run
    monkeypatch.setattr(
        room, "run", lambda measures, *a, **k: asked.extend(measures) or run(measures, *a, **k)
    )
    again = judged(folder=tmp_path)
    assert len(asked) == 1
    assert [result.value for result in again.results] == [result.value for result in first.results]


def test_a_picture_that_cannot_be_drawn_is_a_finding(monkeypatch):
    def fails(*_):
        raise InputError("pairs: there are none.")

    monkeypatch.setattr(room, "grids", fails)
    found = judged()
    assert found.grids == () and any("pairs: there are none." in finding for finding in found.findings)


def test_a_certificate_of_another_file_refuses():
    found = judged(certificate=Certificate((Entry("sums", "train", Gaussian(2.0)),)), covered=False)
    assert found.standing == "refused"
    assert found.lines[0].what == "certificate" and found.lines[0].verdict == "broken"


def test_a_claim_that_attacks_exceed_is_called_false():
    found = judged("copy", certificate=Certificate((Entry("sums", "train", Gaussian(2.0)),)))
    claim = next(line for line in found.lines if line.what == "certificate")
    assert claim.verdict == "broken" and "false" in claim.found


def test_a_certificate_that_nothing_ties_to_the_table_leaves_the_guarantee_open():
    private = Certificate((Entry("sums", "train", Gaussian(2.0)),))
    tied, untied = (judged(certificate=private, covered=covered) for covered in (True, None))
    found = [next(line for line in each.lines if line.what == "guarantee").verdict for each in (tied, untied)]
    assert found == ["kept", "unsure"]
    assert tied.claim_stands and not judged(certificate=private, covered=False).claim_stands


def test_a_holdout_of_another_law_leaves_attacks_open_and_copies_refused():
    shown = {name: read(frame) for name, frame in tables("fresh").items()}
    moved = read(tables("fresh")["holdout"].assign(weight=lambda rows: rows["weight"] + 60))
    request = Request("quick", 0, default_policy(), workers=0, progress=False)

    def found(synthetic):
        given = Given("s", synthetic)
        return judge(given, look(given, Real(shown["train"], moved), request), request)

    honest = found(shown["synthetic"])
    assert honest.standing != "refused" and any("differ in law" in finding for finding in honest.findings)
    assert found(shown["train"]).standing == "refused"


def test_results_are_in_order():
    names = [result.name for result in judged().results]
    assert names[0] == "fidelity.missingness" and names[1:] == sorted(names[1:])
    assert all(isinstance(result, Result) for result in judged().results)
