"""The certificate of a federation: every site's price, and the largest of them for all together.

Parallel composition: a row lies at one site, and what another site sends does not depend on it; so a row can
move what all sites send together by no more than what its own site's ledger allows. Under adding or removing
one row the whole costs the pointwise maximum of the sites' curves (McSherry 2009). Where one table was split
by looking at its rows, one row may move others to another site: the price holds under that condition only.
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.errors import ParameterError
from understudy.privacy import Certificate, Entry
from understudy.privacy.certificate import Status
from understudy.privacy.entry import digest_of
from understudy.privacy.events import Open, Parallel
from understudy.version import TOOL

__all__ = ["federated_certificate"]

DISJOINT = "each row lies at one site; whoever has rows at several sites adds up the prices of those sites"
VISIBLE = "the server sees every site's updates one by one"
_NOISY = "; they are private by their own noise"
_SENT: dict[Status, str] = {
    "sound": "margins and noisy steps",
    "conditional": "margins and noisy steps, at prices that hold under a condition",
    "partial": "at least one of them in part without noise",
    "none": "at least one of them without noise",
}


def federated_certificate(sites: Mapping[str, Certificate]) -> Certificate:
    """Return the certificate of what sites sent together: one entry, whose price is the largest of theirs.

    What must hold for the price of one site must hold for the whole: of sites that one table was split into,
    that rows lie at their sites whatever others there are.

    >>> federated_certificate({"a": Certificate(()), "b": Certificate((Entry("rows", "train"),))}).status
    'none'
    """
    if not sites:
        raise ParameterError("federation: there is no certificate without a site.")
    worst: Status = max((site.status for site in sites.values()), key=_ORDER.index)
    branches = tuple(tuple(entry.event for entry in sites[name].entries) for name in sorted(sites))
    told_of = {entry.condition for site in sites.values() for entry in site.entries}
    conditions = sorted({each for told in told_of for each in told.split("; ")} - {""})
    paid = worst in ("sound", "conditional")
    entry = Entry(
        f"what {len(sites)} sites sent: {_SENT[worst]}",
        "train",
        Parallel(branches) if paid else Open(),
        because="one row lies at one site, and moves what that site sends by what its ledger says"
        if paid
        else "",
        name="federation",
        condition="; ".join(conditions),
    )
    told = [f"site {name}: {_told(sites[name])}" for name in sorted(sites)]
    shared = dict.fromkeys(line for site in sites.values() for line in site.assumptions)
    first = next(iter(sites.values()))
    return Certificate(
        (entry,),
        (DISJOINT, *conditions, VISIBLE + (_NOISY if paid else ""), *shared, *told),
        tool=TOOL,
        declared=dict(first.declared),
        versions=dict(first.versions),
    )


_ORDER: tuple[Status, ...] = ("sound", "conditional", "partial", "none")


def _told(certificate: Certificate) -> str:
    chain = digest_of(certificate.entries)[:16]
    return f"{len(certificate.entries)} entries, status {certificate.status}, chain {chain}"
