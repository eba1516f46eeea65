"""Hashes and figures are compared, and whatever goes wrong is a finding and no crash."""

from __future__ import annotations

import hashlib

import pytest

from privacy.test_certificate_json import OPEN, PAID
from understudy.errors import CorruptModel
from understudy.model.checks import figures, hashed, is_certificate, is_neighbour, read_certificate, tried
from understudy.privacy import Certificate


def test_a_file_has_its_hash_or_was_altered_or_is_gone(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"a")
    assert hashed(path, hashlib.sha256(b"a").hexdigest()).good
    assert hashed(path, "00" * 32).found == "the file was altered or exchanged"
    assert hashed(tmp_path / "b", "00" * 32).found == "no such file or directory"


@pytest.mark.parametrize("name", ["a\x00b", "\ud800", "x" * 10_000])
def test_a_name_that_no_file_can_have_is_a_finding(tmp_path, name):
    assert not hashed(tmp_path / name, "00" * 32).good


def test_an_attempt_that_fails_is_a_finding():
    def refuse():
        raise CorruptModel("it is broken")

    def crash():
        raise KeyError("a bug of ours")

    assert tried("p", "w", lambda: 1).good
    assert (tried("p", "w", refuse).good, tried("p", "w", refuse).found) == (False, "it is broken")
    with pytest.raises(KeyError):
        tried("p", "w", crash)


def test_figures_are_confirmed_where_there_are_any(tmp_path):
    path = tmp_path / "certificate.json"
    path.write_text(Certificate((PAID,)).to_json())
    assert [(check.what, check.good) for check in figures(path)] == [
        ("entries and status", True),
        ("figures", True),
    ]
    path.write_text(Certificate((OPEN,)).to_json())
    assert [check.what for check in figures(path)] == ["entries and status"]
    path.write_text("{}")
    assert [check.good for check in figures(path)] == [False]


def test_a_certificate_is_known_by_its_name_and_read_by_its_content(tmp_path):
    for name in ("certificate.json", "a.certificate.json"):
        (tmp_path / name).write_text(Certificate((PAID,)).to_json())
        assert is_certificate(tmp_path / name)
        assert read_certificate(tmp_path / name) == Certificate((PAID,))
    assert not is_certificate(tmp_path / "b.certificate.json")
    assert not is_certificate(tmp_path)


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "/a", "a/b", "a/", "./a"])
def test_a_name_that_leads_elsewhere_is_no_neighbour(name):
    assert not is_neighbour(name)
