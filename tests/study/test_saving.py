"""Saving: every file, the right permissions, a manifest that fits, and no real value in what may leave."""

import base64
import html
import json
import stat

import numpy as np
import pandas as pd
import pytest

import understudy as us
from study.stand_ins import few, tables
from understudy.errors import InputError
from understudy.model.verify import verify
from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.not_given import is_not_given
from understudy.study.saving import CONFIDENTIAL, files_of

__all__ = ["few"]

PRIVATE = Certificate((Entry("all rows", "train"),))
SHARED = ("share.html", "MODEL_CARD.md", "croissant.json", "results.json", "manifest.json")


def audited(synthetic=None, certificate=PRIVATE, **more):
    shown = tables()
    if synthetic is not None:
        shown["synthetic"] = synthetic
    return us.audit(**shown, certificate=certificate, level="quick", workers=0, progress=False, **more)


@pytest.mark.usefixtures("few")
def test_every_file_is_there_and_single_records_are_for_their_owner(tmp_path):
    folder = audited().save(tmp_path / "audit")
    names = {path.name for path in folder.iterdir()}
    assert names == {*SHARED, "internal.html", "certificate.json"}
    for path in folder.iterdir():
        mode = stat.S_IMODE(path.stat().st_mode)
        assert (mode == 0o600) == (path.name in CONFIDENTIAL)
    assert "results" in json.loads((folder / "results.json").read_text())
    assert all(check.good for check in verify(folder, us.load))


@pytest.mark.usefixtures("few")
def test_an_altered_page_is_found_out(tmp_path):
    folder = audited().save(tmp_path)
    page = folder / "share.html"
    page.write_text(page.read_text().replace("Audit", "Adieu", 1))
    assert [check.path for check in verify(folder, us.load) if not check.good] == [str(page)]


@pytest.mark.usefixtures("few")
def test_it_can_be_saved_again_and_a_page_that_lay_open_is_closed(tmp_path):
    found = audited()
    (tmp_path / "internal.html").write_text("old")
    (tmp_path / "internal.html").chmod(0o644)
    found.save(tmp_path)
    assert stat.S_IMODE((tmp_path / "internal.html").stat().st_mode) == 0o600
    assert found.save(tmp_path) == tmp_path


@pytest.mark.usefixtures("few")
def test_a_folder_of_something_else_is_left_alone(tmp_path):
    found = audited()
    (tmp_path / "manifest.json").write_text('{"kind": "other"}')
    with pytest.raises(InputError, match="another folder"):
        found.save(tmp_path)
    us.synth.get("histogram")().fit(tables()["train"], progress=False).save(tmp_path / "model")
    with pytest.raises(InputError, match="holds a model"):
        found.save(tmp_path / "model")


@pytest.mark.usefixtures("few")
def test_several_candidates_have_a_certificate_each():
    shown = tables()["synthetic"]
    files = files_of(audited([shown, shown], [PRIVATE, PRIVATE]).dossier)
    assert {"synthetic.certificate.json", "synthetic_2_.certificate.json"} <= set(files)


@pytest.mark.usefixtures("few")
def test_an_audit_of_one_takes_the_place_of_an_audit_of_two(tmp_path):
    shown = tables()["synthetic"]
    audited([shown, shown], [PRIVATE, PRIVATE]).save(tmp_path)
    audited().save(tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*certificate.json")) == ["certificate.json"]
    assert all(check.good for check in verify(tmp_path, us.load))


def canaries():
    """Return real rows in which a thousand cells are unlike anything else, and what these cells are."""
    rng = np.random.default_rng(7)
    rows = 1_000
    towns = [f"Zq{n:04d}xk" if n < 300 else ("north", "south")[n % 2] for n in range(rows)]
    notes = [f"call Wv{n:04d}jh back" for n in range(rows)]
    sums = [round(31_415.0 + n * 1.37 + 0.0617, 4) if n % 10 < 3 else 40.0 + n % 9 for n in range(rows)]
    table = pd.DataFrame({"town": towns, "note": notes, "sum": sums, "x": rng.normal(size=rows).round(2)})
    marks = [*towns[:300], *(note.split()[1] for note in notes[:400]), *(repr(s) for s in sums if s > 1_000)]
    assert len(marks) == 1_000
    return table, marks


def forms(mark):
    """Return the bytes by which a mark would show: plain, escaped, in base64 at any place, and in UTF-16."""
    plain = mark.encode()
    yield plain
    yield html.escape(mark).encode()
    yield "".join(f"\\u{ord(c):04x}" for c in mark).encode()
    yield "".join(f"&#{ord(c)};" for c in mark).encode()
    yield mark.encode("utf-16-le")
    for start in range(3):
        coded = base64.b64encode(b"\0" * start + plain)
        yield coded[4 if start else 0 : len(coded) - 4]


def stand_in(train, method):
    """Return a stand-in that leaks as much as it can: free text is copied, the rest by the method."""
    rest = train.drop(columns="note")
    made = us.synth.get(method)().fit(rest, progress=False).sample(len(train), seed=0)
    return made.assign(note=train["note"])[list(train.columns)]


@pytest.mark.parametrize("method", ["copy", "gaussian_copula"])
def test_of_a_thousand_canaries_none_is_in_what_may_leave(tmp_path, capfd, method):
    train, marks = canaries()
    cells = {"town": ["north", "south"] * 150, "sum": 40.0 + np.arange(300) % 9, "x": 0.5}
    holdout = pd.DataFrame(cells).assign(note=[f"n{n}" for n in range(300)])[list(train.columns)]
    found = us.audit(
        train, stand_in(train, method), holdout, None, PRIVATE, level="quick", workers=0, progress=False
    )
    found.save(tmp_path)
    said = "".join(capfd.readouterr()).encode()
    files = {name: (tmp_path / name).read_bytes() for name in (*SHARED, "certificate.json")}
    everything = b"\n".join([said, *files.values()])
    hits = [mark for mark in marks if any(form in everything for form in forms(mark))]
    assert hits == [], [name for name, text in files.items() if hits[0].encode() in text]


def test_the_search_for_canaries_finds_what_is_there():
    page = b"..." + base64.b64encode(b"ab Zq0001xk cd") + "Wv0001jh".encode("utf-16-le") + b"&#90;&#113;"
    assert any(form in page for form in forms("Zq0001xk")) and any(form in page for form in forms("Wv0001jh"))
    assert not any(form in page for form in forms("Zq0002xk"))


@pytest.mark.usefixtures("few")
def test_a_table_without_a_certificate_has_one_that_says_so_and_no_page_claims_another(tmp_path):
    audited(certificate=None).save(tmp_path)
    certificate = Certificate.from_json((tmp_path / "certificate.json").read_text())
    assert certificate.status == "none" and is_not_given(certificate)
    for name in ("share.html", "internal.html"):
        assert "no certificate came with this table" in (tmp_path / name).read_text()
    assert json.loads((tmp_path / "results.json").read_text())["candidates"][0]["certificate"] is None
    checks = verify(tmp_path, us.load)
    assert all(check.good for check in checks)
    assert [check.found for check in checks if check.what == "no certificate was given"] == ["it says so"]


@pytest.mark.usefixtures("few")
def test_the_certificate_of_a_table_without_one_is_none_to_the_next_audit(tmp_path):
    first = audited(certificate=None).save(tmp_path / "first")
    audited(certificate=first / "certificate.json").save(tmp_path / "second")
    assert "no certificate came with this table" in (tmp_path / "second" / "share.html").read_text()
