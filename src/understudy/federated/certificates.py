"""Certificates and keys for a federation: one authority, the server's certificate, a key for each site.

Private keys are written for their owner alone. A site makes its own key and hands out the public half; the
authority's key is needed only to make certificates and belongs on no machine of the federation.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from understudy.errors import InputError
from understudy.table.atomic import PRIVATE, write_bytes

__all__ = ["make_certificates", "make_site_key"]

_AUTHORITY = "understudy federation"
_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(rf"(\*\.)?{_LABEL}(\.{_LABEL})*")
_LONGEST = 253  # characters of a host's name


def make_certificates(folder: Path, hosts: Sequence[str], *, days: float = 365) -> list[Path]:
    """Write an authority and a server's certificate for these hosts: ca.pem, ca.key, server.pem, server.key.

    Sites need ca.pem; the server needs ca.pem, server.pem and server.key. Files that are there are not
    replaced: whoever trusts the old ones would be cut off.
    """
    names = [_alternative(host) for host in hosts]
    paths = [folder / name for name in ("ca.key", "ca.pem", "server.key", "server.pem")]
    _refuse_there(paths)
    authority, server = _fresh_key(), _fresh_key()
    root = _signed(_name(_AUTHORITY), authority.public_key(), authority, days=days, names=None)
    leaf = _signed(_name(hosts[0][:64]), server.public_key(), authority, days=days, names=names)
    contents = (_private_pem(authority), _pem(root), _private_pem(server), _pem(leaf))
    for path, content in zip(paths, contents, strict=True):
        write_bytes(path, content, PRIVATE if path.suffix == ".key" else 0o644)
    return paths


def make_site_key(folder: Path) -> list[Path]:
    """Write the key by which a site is known, site.key, and its public half for the server, site.pub."""
    private, public = folder / "site.key", folder / "site.pub"
    _refuse_there([private, public])
    key = _fresh_key()
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    write_bytes(private, text, PRIVATE)
    line = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    write_bytes(public, line + b"\n")
    return [private, public]


def _refuse_there(paths: Sequence[Path]) -> None:
    folder = paths[0].parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (FileExistsError, NotADirectoryError):
        raise InputError(
            f"expected a folder, new or not; {str(folder)!r} is a file, or lies in one."
        ) from None
    for path in paths:
        if path.exists():
            raise InputError(f"{str(path)!r} is there already; keep it, or name another folder.")


def _fresh_key() -> ec.EllipticCurvePrivateKey:
    # P-384: what Flower takes for sites, and what every TLS library takes for a server.
    return ec.generate_private_key(ec.SECP384R1())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _signed(
    subject: x509.Name,
    public: ec.EllipticCurvePublicKey,
    authority: ec.EllipticCurvePrivateKey,
    *,
    days: float,
    names: Sequence[x509.GeneralName] | None,
) -> x509.Certificate:
    """Return a certificate: the authority's own if it names no hosts, else a server's."""
    now = dt.datetime.now(dt.UTC)
    # An hour back: the clocks of two machines differ. A certificate that has run out began before it ended.
    start, end = now - dt.timedelta(hours=1), now + dt.timedelta(days=days)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(_name(_AUTHORITY))
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(min(start, end - dt.timedelta(hours=1)))
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=names is None, path_length=None), critical=True)
        .add_extension(_usage(authority=names is None), critical=True)
    )
    if names is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
    return builder.sign(authority, hashes.SHA384())


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(host: str) -> x509.GeneralName:
    if host.replace(".", "").isdigit() or ":" in host:
        return _address(host)
    if len(host) > _LONGEST or not _HOST.fullmatch(host):
        raise InputError(
            f"certificate: {host[:64]!r} is neither a host name nor an IP address; expected one such as "
            "fed.example.org or 10.0.0.5."
        )
    return x509.DNSName(host)


def _address(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        raise InputError(f"certificate: {host!r} is no IP address.") from None


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
