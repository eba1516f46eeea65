"""An audit in a notebook: the verdict and its lines."""

from __future__ import annotations

from understudy.markup import section, table
from understudy.report.catalogue import asked, worded
from understudy.report.dossier import Candidate, Dossier
from understudy.report.words import line_to_share

__all__ = ["as_html"]

_HEADERS = ("what", "asked", "found", "verdict")


def as_html(dossier: Dossier) -> str:
    """Return the verdict of every candidate and the lines of the policy; nothing that is confidential."""
    return "".join(_candidate(candidate, dossier.policy) for candidate in dossier.shared().candidates)


def _candidate(candidate: Candidate, policy: str) -> str:
    told = map(line_to_share, candidate.lines)
    lines = [(asked(line.what), line.asks, worded(line.found), line.verdict) for line in told]
    return section(f"{candidate.name}: {candidate.standing} ({policy})", table(_HEADERS, lines))
