"""Certificates and keys: what is made can be used, is its owner's alone, and is never overwritten."""

import stat

import pytest
from cryptography import x509

from understudy.errors import InputError
from understudy.federated.certificates import make_certificates, make_site_key
from understudy.federated.channel import read_public_key


def test_the_servers_certificate_names_its_hosts_and_is_signed_by_the_authority(tmp_path):
    make_certificates(tmp_path, ["127.0.0.1", "::1", "fed.example.org"])
    root, leaf = (
        x509.load_pem_x509_certificate((tmp_path / name).read_bytes()) for name in ("ca.pem", "server.pem")
    )
    leaf.verify_directly_issued_by(root)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each.value) for each in names] == ["127.0.0.1", "::1", "fed.example.org"]
    assert root.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert not leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_private_keys_are_for_their_owner_alone(tmp_path):
    made = make_certificates(tmp_path / "tls", ["localhost"]) + make_site_key(tmp_path / "site")
    for path in made:
        readable_by_others = stat.S_IMODE(path.stat().st_mode) & 0o077
        assert bool(readable_by_others) is (path.suffix != ".key")


def test_a_sites_public_key_is_what_a_server_registers(tmp_path):
    _, public = make_site_key(tmp_path)
    assert read_public_key(public, "a").startswith(b"-----BEGIN PUBLIC KEY-----")


def test_what_is_there_is_not_replaced(tmp_path):
    make_certificates(tmp_path, ["localhost"])
    make_site_key(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="there already"):
        make_certificates(tmp_path, ["localhost"])
    with pytest.raises(InputError, match="there already"):
        make_site_key(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_is_no_host_is_refused(tmp_path):
    odd = ["bücher", "", "a b", "a..b", "-a", "a" * 64, ".".join(["a" * 60] * 5), "a\n", "*", "a.*"]
    for host, why in {
        **dict.fromkeys(odd, "neither a host name"),
        "10.0.0": "no IP address",
        "::x": "no IP",
    }.items():
        with pytest.raises(InputError, match=why):
            make_certificates(tmp_path / "tls", ["localhost", host])
        with pytest.raises(InputError, match=why):
            make_certificates(tmp_path / "tls", [host])
    assert list(tmp_path.iterdir()) == []


def test_usual_names_of_hosts_are_taken(tmp_path):
    hosts = [
        "fed.example.org",
        "a",
        "xn--bcher-kva.example",
        "*.example.org",
        "fed_server",
        ".".join(["a" * 60] * 4),
    ]
    assert len(make_certificates(tmp_path, hosts)) == 4


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "one.csv").write_text("a\n1\n")
    for folder in (tmp_path / "one.csv", tmp_path / "one.csv" / "tls"):
        for make in (make_site_key, lambda folder: make_certificates(folder, ["localhost"])):
            with pytest.raises(InputError, match="expected a folder"):
                make(folder)
