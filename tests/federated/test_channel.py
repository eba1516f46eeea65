"""A line is refused before anything is started on it, if it would not be safe or would not come up."""

import socket
import ssl
import threading
from contextlib import suppress

import pytest

from understudy.errors import InputError, LinkError
from understudy.federated.certificates import make_certificates, make_site_key
from understudy.federated.channel import Address, ServerChannel, SiteChannel


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    make_certificates(folder / "tls", ["127.0.0.1", "localhost"])
    make_certificates(folder / "other", ["127.0.0.1"])
    make_certificates(folder / "old", ["127.0.0.1"], days=-1)
    make_site_key(folder / "a")
    return folder


def server(keys, address, *, tls="tls", certificate=None, key=None, sites=True):
    folder = keys / tls
    return ServerChannel(
        Address.parse(address),
        folder / "ca.pem",
        certificate or folder / "server.pem",
        key or folder / "server.key",
        {"a": keys / "a" / "site.pub"} if sites else {},
    )


@pytest.mark.parametrize("text", ["", "8443", "host:", ":8443", "host:0", "host:65536", "host:x", "::1:8443"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(InputError, match="address"):
        Address.parse(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "[::1]"])
def test_this_machine_alone_is_loopback(host):
    assert Address.parse(f"{host}:8443").loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "10.0.0.5", "192.168.1.2", "no-such-host.invalid"])
def test_everything_else_is_not_loopback(host):
    assert not Address.parse(f"{host}:8443").loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "10.0.0.5", "no-such-host.invalid"])
def test_plaintext_off_loopback_is_refused_on_both_sides(host):
    address = Address.parse(f"{host}:8443")
    for channel in (ServerChannel(address), SiteChannel(address)):
        with pytest.raises(InputError, match="plaintext"):
            channel.check()


def test_plaintext_on_loopback_is_allowed():
    address = Address.parse("127.0.0.1:8443")
    ServerChannel(address).check()
    SiteChannel(address).check()


def test_off_loopback_every_site_must_have_a_key(keys):
    with pytest.raises(InputError, match="known by its key"):
        server(keys, "0.0.0.0:8443", sites=False).check()
    with pytest.raises(InputError, match="known by its key"):
        SiteChannel(Address.parse("10.0.0.5:8443"), keys / "tls" / "ca.pem").check()


def test_a_whole_line_is_taken(keys):
    server(keys, "0.0.0.0:8443").check()
    SiteChannel(Address.parse("10.0.0.5:8443"), keys / "tls" / "ca.pem", keys / "a" / "site.key").check()


def test_a_server_must_be_named_by_its_certificate(keys):
    with pytest.raises(InputError, match=r"must name 10\.0\.0\.5"):
        server(keys, "10.0.0.5:8443").check()


def test_a_certificate_that_ran_out_is_refused(keys):
    with pytest.raises(InputError, match="expired"):
        server(keys, "127.0.0.1:8443", tls="old").check()
    with pytest.raises(InputError, match="expired"):
        SiteChannel(Address.parse("127.0.0.1:8443"), keys / "old" / "ca.pem").check()


def test_a_certificate_of_another_authority_is_refused(keys):
    with pytest.raises(InputError, match="not signed by"):
        server(keys, "127.0.0.1:8443", certificate=keys / "other" / "server.pem").check()


def test_a_key_of_another_certificate_is_refused(keys):
    with pytest.raises(InputError, match="not the key of"):
        server(keys, "127.0.0.1:8443", key=keys / "other" / "server.key").check()


def test_half_of_tls_is_refused(keys):
    with pytest.raises(InputError, match="all of"):
        ServerChannel(Address.parse("127.0.0.1:8443"), keys / "tls" / "ca.pem").check()


def test_keys_without_tls_are_refused(keys):
    address = Address.parse("127.0.0.1:8443")
    with pytest.raises(InputError, match="need TLS"):
        ServerChannel(address, sites={"a": keys / "a" / "site.pub"}).check()
    with pytest.raises(InputError, match="needs TLS"):
        SiteChannel(address, key=keys / "a" / "site.key").check()


def test_two_sites_with_one_key_are_refused(keys):
    whole = server(keys, "127.0.0.1:8443")
    twice = ServerChannel(
        whole.address,
        whole.authority,
        whole.certificate,
        whole.key,
        dict.fromkeys("ab", keys / "a" / "site.pub"),
    )
    with pytest.raises(InputError, match="one and the same key"):
        twice.check()


def test_files_that_are_not_what_they_should_be_are_refused(keys, tmp_path):
    (tmp_path / "odd").write_text("hello")
    address = Address.parse("127.0.0.1:8443")
    with pytest.raises(InputError, match="no certificate"):
        SiteChannel(address, tmp_path / "odd").check()
    with pytest.raises(InputError, match="no key"):
        SiteChannel(address, keys / "tls" / "ca.pem", tmp_path / "odd").check()
    with pytest.raises(InputError, match="cannot read"):
        SiteChannel(address, tmp_path / "absent").check()
    with pytest.raises(InputError, match="no private key"):
        server(keys, "127.0.0.1:8443", key=tmp_path / "odd").check()
    odd = ServerChannel(
        address,
        *(keys / "tls" / name for name in ("ca.pem", "server.pem", "server.key")),
        {"a": tmp_path / "odd"},
    )
    with pytest.raises(InputError, match="no public key"):
        odd.check()


@pytest.fixture
def listening(keys):
    """Return a function that starts a TLS server with a certificate, for one handshake."""
    doors = []

    def start(tls):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if tls is not None:
            context.load_cert_chain(keys / tls / "server.pem", keys / tls / "server.key")
        door = socket.create_server(("127.0.0.1", 0))
        doors.append(door)

        def answer():
            line, _ = door.accept()
            try:
                if tls is None:
                    line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                else:
                    context.wrap_socket(line, server_side=True).close()
            except (ssl.SSLError, OSError):
                pass  # the caller refused, which is what is looked at
            finally:
                line.close()

        thread = threading.Thread(target=answer)
        thread.start()
        doors.append(thread)
        return Address("127.0.0.1", door.getsockname()[1])

    yield start
    for each in reversed(doors):
        each.join() if isinstance(each, threading.Thread) else each.close()


def test_a_site_meets_a_server_it_can_trust(keys, listening):
    SiteChannel(listening("tls"), keys / "tls" / "ca.pem").meet()


@pytest.mark.parametrize(
    ("shown", "trusted", "why"),
    [("other", "tls", "signature|issuer"), ("old", "old", "expired"), (None, "tls", "does not speak TLS")],
)
def test_a_site_refuses_a_wrong_authority_an_old_certificate_and_plaintext(
    keys, listening, shown, trusted, why
):
    with pytest.raises(LinkError, match=why):
        SiteChannel(listening(shown), keys / trusted / "ca.pem").meet()


def test_a_site_refuses_a_server_of_another_name(tmp_path):
    make_certificates(tmp_path, ["elsewhere.example.org"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=_refused, args=(context, door))
        thread.start()
        channel = SiteChannel(Address("127.0.0.1", door.getsockname()[1]), tmp_path / "ca.pem")
        with pytest.raises(LinkError, match=r"mismatch|not valid for"):
            channel.meet()
        thread.join()


def _refused(context, door):
    line, _ = door.accept()
    with line, suppress(OSError):  # the caller refused, which is what is looked at
        context.wrap_socket(line, server_side=True).recv(1)


def test_a_server_that_is_not_there_is_named(keys):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = Address("127.0.0.1", free.getsockname()[1])
        with pytest.raises(LinkError, match="no server at"):
            SiteChannel(address, keys / "tls" / "ca.pem").meet()
