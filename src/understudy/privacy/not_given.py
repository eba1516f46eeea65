"""The certificate of a table that came without one: nothing is known of how it was made."""

from __future__ import annotations

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.version import TOOL

__all__ = ["is_not_given", "not_given"]

_UNKNOWN = Entry(
    "nothing is known of how the synthetic table was made",
    "train",
    because="no certificate was given, so nothing bounds what was read of the private rows",
)


_SAID = ("no certificate was given: this one says no more than that",)


def not_given() -> Certificate:
    """Return the certificate that stands where none was given; its one entry has an infinite price.

    >>> not_given().status, not_given().epsilon()
    ('none', inf)
    """
    return Certificate((_UNKNOWN,), _SAID, tool=TOOL)


def is_not_given(certificate: Certificate) -> bool:
    """Say whether a certificate only stands where none was given.

    >>> is_not_given(not_given()), is_not_given(Certificate(()))
    (True, False)
    """
    return certificate.entries == (_UNKNOWN,) and certificate.assumptions == _SAID
