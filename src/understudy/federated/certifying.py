"""The certificate of a federation: every site's price, and the largest of them for all together.

Parallel composition: a row lies at one site, and what another site sends does not depend on it; so a row can
move what all sites send together by no more than what its own site's ledger allows. Under adding or removing
one row the whole costs the pointwise maximum of the sites' curves (McSherry 2009).
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
VISIBLE = "the server sees every site's updates one by one; they are private by their own noise"


def federated_certificate(sites: Mapping[str, Certificate]) -> Certificate:
    """Return the certificate of what sites sent together: one entry, whose price is the largest of theirs.

    >>> federated_certificate({"a": Certificate(()), "b": Certificate((Entry("rows", "train"),))}).status
    'none'
    """
    if not sites:
        raise ParameterError("federation: there is no certificate without a site.")
    worst: Status = max((site.status for site in sites.values()), key=_ORDER.index)
    branches = tuple(tuple(entry.event for entry in sites[name].entries) for name in sorted(sites))
    conditions = sorted({entry.condition for site in sites.values() for entry in site.entries} - {""})
    entry = Entry(
        f"what {len(sites)} sites sent: margins and noisy steps"
        if worst == "sound"
        else f"what {len(sites)} sites sent; at least one of them without noise",
        "train",
        Open() if worst in ("none", "partial") else Parallel(branches),
        because="one row lies at one site, and moves what that site sends by what its ledger says",
        name="federation",
        condition="; ".join(conditions),
    )
    told = [f"site {name}: {_told(sites[name])}" for name in sorted(sites)]
    shared = dict.fromkeys(line for site in sites.values() for line in site.assumptions)
    first = next(iter(sites.values()))
    return Certificate(
        (entry,),
        (DISJOINT, VISIBLE, *shared, *told),
        tool=TOOL,
        declared=dict(first.declared),
        versions=dict(first.versions),
    )


_ORDER: tuple[Status, ...] = ("sound", "conditional", "partial", "none")


def _told(certificate: Certificate) -> str:
    chain = digest_of(certificate.entries)[:16]
    return f"{len(certificate.entries)} entries, status {certificate.status}, chain {chain}"
