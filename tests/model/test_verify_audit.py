"""An altered file of an audit is found, and so is a figure that is not the certificate's."""

from __future__ import annotations

import hashlib
import json

import pytest

from report.whole_dossier import candidate, certificate, dossier
from understudy import synth
from understudy.model.verify import verify
from understudy.model.verify_audit import is_audit
from understudy.report.results_json import results_json


def write(folder, made):
    """Write an audit by hand: two pages that say little, results, certificates, and their manifest."""
    files = {"share.html": "<p>share", "internal.html": "<p>internal", "results.json": results_json(made)}
    for each in made.candidates:
        if each.certificate is not None:
            name = "certificate.json" if len(made.candidates) == 1 else f"{each.name}.certificate.json"
            files[name] = each.certificate.to_json()
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    seal(folder)
    return folder


def seal(folder):
    """Write the manifest anew, as somebody would who wants to hide a change."""
    names = [path.name for path in sorted(folder.iterdir()) if path.name != "manifest.json"]
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    tree = {"format": 1, "kind": "audit", "tool": "understudy 0.1.0", "files": digests}
    (folder / "manifest.json").write_text(json.dumps(tree))


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "audit", dossier())


@pytest.fixture
def several(tmp_path):
    made = (
        candidate("y", "b.csv", certificate=certificate("y", 2.0)),
        candidate("z", "c.csv", certificate=None),
    )
    return write(tmp_path / "audits", dossier("x", candidate(), *made))


def failed(path):
    return [(c.path.rpartition("/")[2], c.what) for c in verify(path, synth.load) if not c.good]


def edit(path, change):
    tree = json.loads(path.read_text())
    change(tree)
    path.write_text(json.dumps(tree))


def test_what_was_written_passes_every_check(folder, several):
    assert failed(folder) == failed(several) == failed(folder.parent) == []
    found = {(check.path.rpartition("/")[2], check.what) for check in verify(several, synth.load)}
    assert {
        ("manifest.json", "complete"), ("share.html", "SHA-256"), ("results.json", "SHA-256"),
        ("a.csv.certificate.json", "figures"), ("b.csv.certificate.json", "figures"),
        ("results.json", "its figures are the certificates'"),
    } <= found  # fmt: skip


@pytest.mark.parametrize("name", ["share.html", "internal.html", "results.json", "certificate.json"])
def test_a_file_that_was_altered_is_found(folder, name):
    with (folder / name).open("a") as file:
        file.write(" ")
    assert (name, "SHA-256") in failed(folder)


@pytest.mark.parametrize("name", ["share.html", "certificate.json"])
def test_a_file_that_is_gone_is_found(folder, name):
    (folder / name).unlink()
    assert (name, "SHA-256") in failed(folder)


def test_what_is_meant_for_insiders_may_stay_at_home(folder):
    (folder / "internal.html").unlink()
    (folder / "results.json").unlink()
    assert failed(folder) == []
    assert len([c for c in verify(folder, synth.load) if "may see the rows" in c.found]) == 2
    (folder / "share.html").write_text("<p>all is well")
    assert failed(folder) == [("share.html", "SHA-256")]


def test_a_manifest_that_is_gone_is_found(folder):
    (folder / "manifest.json").unlink()
    assert failed(folder) == [("manifest.json", "complete")]


@pytest.mark.parametrize("content", [
    b"", b"[]", b"null", b"\xff", b"{" * 10_000, b"{}", b'{"format": 2, "kind": "audit", "files": {}}',
    b'{"format": 1, "kind": "audit"}', b'{"format": 1, "kind": "audit", "files": {"share.html": 1}}',
    b'{"format": 1, "kind": "audit", "files": []}', b'{"format": 1, "kind": "audit", "files": {}}',
    b'{"format": 1, "kind": "model", "files": {"share.html": "", "results.json": ""}}',
])  # fmt: skip
def test_a_manifest_that_is_spoiled_is_found(folder, content):
    (folder / "manifest.json").write_bytes(content)
    assert failed(folder) == [("manifest.json", "complete")]


@pytest.mark.parametrize("name", ["../share.html", "/etc/hostname", "a/../share.html", ""])
def test_a_manifest_leads_to_no_other_folder(folder, name):
    edit(folder / "manifest.json", lambda tree: tree["files"].update({name: "00" * 32}))
    found = [check for check in verify(folder, synth.load) if not check.good]
    assert [check.found for check in found] == ["not the name of a neighbour"]


@pytest.mark.parametrize("change", [
    lambda tree: tree["candidates"][0]["certificate"]["figures"].update(mu=0.001),
    lambda tree: tree["candidates"][0]["certificate"]["figures"].update({"epsilon at delta 1e-9": None}),
    lambda tree: tree["candidates"][0]["certificate"]["figures"].pop("mu"),
    lambda tree: tree["candidates"][0]["certificate"].update(status="conditional"),
    lambda tree: tree["candidates"][0]["certificate"].update(chain="00" * 32),
    lambda tree: tree["candidates"][0].update(certificate=None),
])  # fmt: skip
def test_a_figure_in_the_results_that_is_not_the_certificates_is_found(folder, several, change):
    for audit in (folder, several):
        edit(audit / "results.json", change)
        seal(audit)
        assert failed(audit) == [("results.json", "its figures are the certificates'")]


def test_results_that_cannot_be_read_are_found(folder):
    edit(folder / "results.json", lambda tree: tree.update(standing="fine"))
    seal(folder)
    assert failed(folder) == [("results.json", "can be read")]


def test_a_certificate_whose_figure_was_edited_is_found_though_the_manifest_was_written_anew(folder):
    edit(folder / "certificate.json", lambda tree: tree["figures"].update(mu=0.0))
    seal(folder)
    assert ("certificate.json", "entries and status") in failed(folder)


def test_a_certificate_that_was_slipped_in_is_found(folder):
    (folder / "other.certificate.json").write_text(certificate("other", 9.0).to_json())
    assert failed(folder) == [
        ("other.certificate.json", "is in the manifest"),
        ("results.json", "its figures are the certificates'"),
    ]


def test_only_an_audit_is_taken_for_one(tmp_path):
    assert is_audit(tmp_path, ["share.html", "results.json"])
    assert is_audit(tmp_path, ["share.html", "MODEL_CARD.md"])
    assert not is_audit(tmp_path, ["share.html", "other.json"])
    (tmp_path / "manifest.json").write_text('{"kind": "extension"}')
    assert not is_audit(tmp_path, ["manifest.json", "results.json"])
    (tmp_path / "manifest.json").write_text('{"kind": "audit"}')
    assert is_audit(tmp_path, ["manifest.json"])
    assert not is_audit(tmp_path, ["results.json"])
    (tmp_path / "manifest.json").write_text("no JSON")
    assert not is_audit(tmp_path, ["manifest.json"])


def test_a_table_and_its_certificate_may_lie_beside_the_audit(folder):
    (folder / "other.certificate.json").write_text(certificate("other", 9.0).to_json())
    (folder / "other.csv").write_text("a\n1\n")
    assert failed(folder) == []
    edit(folder / "other.certificate.json", lambda tree: tree["figures"].update(mu=0.0))
    assert failed(folder) == [("other.certificate.json", "entries and status")]


def test_a_certificate_that_the_manifest_lacks_is_found(folder):
    edit(folder / "manifest.json", lambda tree: tree["files"].pop("certificate.json"))
    assert ("certificate.json", "is in the manifest") in failed(folder)


def test_the_certificate_of_a_table_nearby_does_not_stand_for_one_that_was_audited(folder):
    (folder / "certificate.json").rename(folder / "a.certificate.json")
    (folder / "a.csv").write_text("a\n1\n")
    edit(folder / "manifest.json", lambda tree: tree["files"].pop("certificate.json"))
    assert failed(folder) == [("results.json", "its figures are the certificates'")]
