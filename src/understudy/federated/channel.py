"""The line between a server and its sites: what must be there before anything is started on it.

Off loopback there is no plaintext and no site without a key. On loopback both can be waived, for trying out.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from understudy.errors import InputError, LinkError

__all__ = ["Address", "ServerChannel", "SiteChannel", "read_public_key"]

_PATIENCE = 10.0  # seconds to answer a handshake


@final
@dataclass(frozen=True)
class Address:
    """A host and a port.

    >>> Address.parse("[::1]:8000").loopback, Address.parse("0.0.0.0:8000").loopback
    (True, False)
    """

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read HOST:PORT; an IPv6 host stands in brackets."""
        host, colon, port = text.rpartition(":")
        bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        if not colon or not bare or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise InputError(f"address: expected HOST:PORT, such as 127.0.0.1:8443; got {text!r}.")
        if ":" in bare and bare is host:
            raise InputError(f"address: put an IPv6 host in brackets, [::1]:8443; got {text!r}.")
        return cls(bare, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can be at the other end, whatever the name stands for."""
        try:
            # An address is its own answer; a name may stand for several.
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except OSError:
            return False
        return all(ipaddress.ip_address(each[4][0]).is_loopback for each in found)


@final
@dataclass(frozen=True)
class ServerChannel:
    """Where a server listens, its certificate, and the public keys of the sites that it lets in, by name."""

    address: Address
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    sites: Mapping[str, Path] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether nothing is encrypted."""
        return self.authority is self.certificate is self.key is None

    @property
    def own(self) -> Address:
        """Where the server itself finds what it started: loopback, unless it listens elsewhere alone."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.address.host, self.address.host)  # noqa: S104 - told apart, not bound
        return Address(host, self.address.port)

    def check(self) -> None:
        """Refuse a line that would not be safe, or would not come up; nothing is started before."""
        if self.plain:
            _refuse_plain("server", self.address)
            if self.sites:
                raise InputError("server: keys of sites need TLS; give --ca, --certificate and --key.")
            return
        if self.authority is None or self.certificate is None or self.key is None:
            raise InputError("server: TLS needs all of --ca, --certificate and --key.")
        if not self.sites and not self.address.loopback:
            raise InputError(
                f"server: at {self.address} every site must be known by its key; give --site NAME=FILE."
            )
        _check_pair(self.authority, self.certificate, self.key)
        _check_name(self.certificate, self.own.host)
        if len({read_public_key(path, name) for name, path in self.sites.items()}) < len(self.sites):
            raise InputError("server: two sites have one and the same key; every site needs its own.")


@final
@dataclass(frozen=True)
class SiteChannel:
    """Where a site finds its server, the authority it trusts, and the key by which it is known."""

    address: Address
    authority: Path | None = None
    key: Path | None = None

    @property
    def plain(self) -> bool:
        """Whether nothing is encrypted."""
        return self.authority is None

    def check(self) -> None:
        """Refuse a line that would not be safe; nothing is started before, and no row is read."""
        if self.plain:
            _refuse_plain("site", self.address)
            if self.key is not None:
                raise InputError("site: a key needs TLS; give --ca, the certificate of the authority.")
            return
        if self.key is None and not self.address.loopback:
            raise InputError(
                f"site: at {self.address} a site must be known by its key; give --key, "
                "as `understudy federate key` makes it."
            )
        assert self.authority is not None
        _refuse_old(self.authority)
        if self.key is not None:
            _read_private_key(self.key)

    def meet(self, patience: float = 0.0) -> None:
        """Shake hands with the server, as soon as it is there; refuse one that cannot be trusted."""
        until = time.monotonic() + patience
        while True:
            try:
                with socket.create_connection((self.address.host, self.address.port), _PATIENCE) as line:
                    self._shake_hands(line)
                return
            except OSError as error:
                if time.monotonic() > until:
                    why = error.strerror or "no answer"
                    raise LinkError(f"site: no server at {self.address} ({why}); is it started?") from None
            time.sleep(0.5)

    def _shake_hands(self, line: socket.socket) -> None:
        """Refuse a server whose certificate the authority did not sign, or not for this host, or long ago."""
        if self.plain:
            return
        context = ssl.create_default_context(cafile=str(self.authority))
        try:
            context.wrap_socket(line, server_hostname=self.address.host).close()
        except ssl.SSLCertVerificationError as error:
            why = error.verify_message.rstrip(".")
            raise LinkError(f"site: the server at {self.address} is not to be trusted: {why}.") from None
        except ssl.SSLError:
            raise LinkError(f"site: what answers at {self.address} does not speak TLS.") from None


def read_public_key(path: Path, name: str) -> bytes:
    """Return the public key of a site as the server registers it (PEM)."""
    try:
        found = serialization.load_ssh_public_key(_bytes(path))
    except (ValueError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, ec.EllipticCurvePublicKey):
        raise InputError(
            f"site {name!r}: {str(path)!r} is no public key as `understudy federate key` writes."
        )
    return found.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _read_private_key(path: Path) -> None:
    try:
        found = serialization.load_ssh_private_key(_bytes(path), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, ec.EllipticCurvePrivateKey):
        raise InputError(f"site: {str(path)!r} is no key as `understudy federate key` writes it.")


def _refuse_plain(who: str, address: Address) -> None:
    if not address.loopback:
        raise InputError(
            f"{who}: {address} is not this machine alone, and plaintext does not leave it; "
            "give certificates, as `understudy federate certificate` makes them."
        )


def _check_pair(authority: Path, certificate: Path, key: Path) -> None:
    _refuse_old(authority)
    leaf = _refuse_old(certificate)
    try:
        leaf.verify_directly_issued_by(_certificate(authority))
    except (InvalidSignature, TypeError, ValueError):
        raise InputError(f"server: {str(certificate)!r} was not signed by {str(authority)!r}.") from None
    try:
        private = serialization.load_pem_private_key(_bytes(key), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InputError(f"server: {str(key)!r} is no private key in PEM without a password.") from None
    if private.public_key() != leaf.public_key():
        raise InputError(f"server: {str(key)!r} is not the key of {str(certificate)!r}.")


def _check_name(path: Path, host: str) -> None:
    """Refuse a certificate that does not name the host: the server calls its own SuperLink by it."""
    try:
        found = _certificate(path).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        names = [str(each.value) for each in found]
    except x509.ExtensionNotFound:
        names = []
    if host not in names:
        raise InputError(f"server: {str(path)!r} must name {host}; make a certificate with --host {host}.")


def _refuse_old(path: Path) -> x509.Certificate:
    found = _certificate(path)
    now = dt.datetime.now(dt.UTC)
    if now > found.not_valid_after_utc:
        day = found.not_valid_after_utc.date().isoformat()
        raise InputError(f"{str(path)!r} expired on {day}; make a new certificate.")
    if now < found.not_valid_before_utc:
        raise InputError(f"{str(path)!r} is not valid yet; is the clock right?")
    return found


def _certificate(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(_bytes(path))
    except ValueError:
        raise InputError(f"{str(path)!r} is no certificate in PEM.") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r} ({error.strerror or error}).") from None
