"""A dossier as one self-contained page of HTML: no network, no row, and no name that becomes markup.

The texts are in the page itself and need no script. The script turns sections into tabs and tells what a
mark means when it is pointed at. A policy in the head allows this style and this script by their hashes, and
nothing else: whatever a name might smuggle in would not run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from understudy.markup import spelled
from understudy.report.dossier import Candidate, Dossier
from understudy.report.frontier import frontier
from understudy.report.radar import radar
from understudy.report.ranking import average_ranks
from understudy.report.sections import sections
from understudy.report.words import figure

__all__ = ["page"]


def page(dossier: Dossier) -> str:
    """Return the page; one that is not confidential is made of what may leave, whatever it was given."""
    seen = dossier if dossier.confidential else dossier.shared()
    style, script = _asset("page.css"), _asset("page.js")
    parts = [sections(each, confidential=seen.confidential) for each in seen.candidates]
    return (
        _environment()
        .get_template("page.html")
        .render(
            dossier=seen,
            parts=parts,
            compared=_compared(seen.candidates),
            standing=seen.worst if any(each.lines for each in seen.candidates) else "not judged",
            facts=_facts(seen),
            policy=_policy(style, script),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            figure=figure,
        )
    )


@cache
def _environment() -> Environment:
    """Return the only way from a name to a page: everything is spelled out and escaped, nothing undefined."""
    return Environment(
        loader=PackageLoader("understudy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_spelled,
    )


def _spelled(value: Any) -> Any:
    return spelled(value) if type(value) is str else value  # Markup is a str too, and is finished


@cache
def _asset(name: str) -> str:
    return files("understudy.report").joinpath("templates", name).read_text("utf-8").replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    """Return the content security policy that allows these two texts and nothing else."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _compared(candidates: Sequence[Candidate]) -> dict[str, Any] | None:
    """Return what is said of several candidates side by side; nothing of one."""
    if len(candidates) < 2:
        return None
    ranks = average_ranks(candidates)
    return {"frontier": frontier(candidates), "radar": radar(candidates), "ranks": ranks}


def _facts(dossier: Dossier) -> list[tuple[str, str]]:
    names = ", ".join(each.name for each in dossier.candidates[:4])
    return [
        ("Policy", dossier.policy or "none"),
        ("Level", dossier.level),
        ("Looked at", names),
        ("Made", dossier.made),
    ]
