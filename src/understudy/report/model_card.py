"""MODEL_CARD.md: what a stand-in is, for whoever is handed it, with the head that Hugging Face reads.

The card is made of a shared dossier only: it travels with the table.
"""

from __future__ import annotations

from collections.abc import Callable

from understudy.errors import ParameterError
from understudy.privacy.meaning import plain_meaning
from understudy.report.catalogue import asked, known, worded
from understudy.report.dossier import Candidate, Dossier
from understudy.report.guarantee import bounded, doubt, guaranteed
from understudy.report.markdown import bullets, inline, table, yaml_text
from understudy.report.words import figure, line_to_share, span, spoken
from understudy.result import Result

__all__ = ["model_card"]

_STANDINGS = {
    "passes": "passes the policy",
    "undecided": "undecided: a line of the policy is not surely kept",
    "refused": "refused by the policy",
}
_USE = (
    "To stand in for a real table where that one may not go: to test software, to teach, to explore.",
    "To prepare an analysis that will then be run on the real rows.",
    "Not for decisions about single persons: a row is drawn, and is no finding about anybody.",
    "Not for rare groups and extreme values: there a stand-in is least like the real table.",
    "Not for publishing figures as if they came from the real table; check them on the real rows first.",
)
_VERIFY = """The manifest names every file by its SHA-256; the certificate's figures follow from its entries.

```sh
understudy verify FOLDER
```

This recomputes hashes and figures without the data. It finds what was damaged, mixed up or edited by hand; a
certificate is not signed, and a forgery made with care is not found."""


def model_card(dossier: Dossier) -> str:
    """Return the card of a shared dossier; a confidential one is refused.

    >>> empty = Dossier("t", "2026-01-01", "quick", 0, "none", (), (), (), confidential=False)
    >>> model_card(empty).splitlines()[:2]
    ['---', 'license: other  # for the publisher to choose']
    """
    if dossier.confidential:
        raise ParameterError(
            "model card: expected a dossier that may leave; got a confidential one; try dossier.shared()."
        )
    parts = {
        "What it is": _what(dossier),
        "Intended use and limits": bullets([*_USE, *dossier.limits]),
        "How it was made": _each(dossier, _recipe),
        "Guarantee": _each(dossier, _guarantee),
        "Evaluation": _each(dossier, lambda each: _scores(each, risks=False)),
        "Risks": _each(dossier, lambda each: _scores(each, risks=True)),
        "Policy": f"Policy: {inline(dossier.policy)}.\n\n{_each(dossier, _lines)}",
        "How to verify": _VERIFY,
        "Versions": _facts(dossier),
    }
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
    return f"{_head(dossier)}\n\n# {inline(dossier.title) or 'Untitled'}\n\n{body}\n"


def _head(dossier: Dossier) -> str:
    tags = ["synthetic-data", "tabular"]
    if dossier.candidates and all(_private(candidate) for candidate in dossier.candidates):
        tags.append("differential-privacy")
    lines = ["license: other  # for the publisher to choose", "library_name: understudy"]
    lines += [f"pretty_name: {yaml_text(dossier.title)}", "tags:", *(f"- {tag}" for tag in tags)]
    return "\n".join(["---", *lines, "---"])


def _private(candidate: Candidate) -> bool:
    """Whether a bound holds for every table, and for this file; one under a condition earns no tag.

    Nor does one whose epsilon is infinite at the usual deltas, or too large to hold anybody back.
    """
    sound = candidate.certificate is not None and candidate.certificate.sound
    return sound and bounded(candidate.certificate) and not doubt(candidate)


def _each(dossier: Dossier, told: Callable[[Candidate], str]) -> str:
    """Return what is told of every candidate, under its name if there are several."""
    if len(dossier.candidates) == 1:
        return told(dossier.candidates[0])
    found = [f"### {inline(each.name) or 'unnamed'}\n\n{told(each)}" for each in dossier.candidates]
    return "\n\n".join(found) or "There is no candidate."


def _what(dossier: Dossier) -> str:
    rows = [
        (each.name, f"{each.rows:,}", str(len(dossier.columns)), each.digest, _standing(each))
        for each in dossier.candidates
    ]
    told = "Offered as synthetic: its rows are meant to stand in for those of a real table."
    return f"{told}\n\n{table(('table', 'rows', 'columns', 'SHA-256', 'standing'), rows)}"


def _standing(candidate: Candidate) -> str:
    return _STANDINGS[candidate.standing] if candidate.lines else "not judged: there is no policy"


def _recipe(candidate: Candidate) -> str:
    return inline(candidate.recipe) or "How it was made is not known to the audit."


def _guarantee(candidate: Candidate) -> str:
    said = inline(guaranteed(candidate))
    if doubt(candidate):
        return f"**{said}**"
    if candidate.certificate is None:
        return said
    return f"{said}\n\nWhat this means:\n\n{bullets(plain_meaning(candidate.certificate))}"


def _scores(candidate: Candidate, *, risks: bool) -> str:
    chosen = [each for each in candidate.results if each.name.startswith("privacy.") is risks]
    if not chosen:
        return "Nothing was measured."
    headers = ("measure", "name", "value", "95 % interval", "null", "better", "verdict")
    return table(headers, [_score(each) for each in chosen])


def _score(result: Result) -> tuple[str, ...]:
    figures = (figure(result.value), span(result.low, result.high), figure(result.null))
    better = "like the null" if result.better == "null" else result.better
    return (known(result.name).label, result.name, *figures, better, spoken(result))


def _lines(candidate: Candidate) -> str:
    if not candidate.lines:
        return "Nothing was asked."
    lines = map(line_to_share, candidate.lines)
    rows = [(asked(line.what), line.asks, worded(line.found), line.verdict, line.source) for line in lines]
    return table(("what", "asked", "found", "verdict", "source"), rows)


def _facts(dossier: Dossier) -> str:
    rows = [("audit", f"level {dossier.level}, seed {dossier.seed}, {dossier.made}")]
    rows += [*dossier.versions.items(), *dossier.hardware.items()]
    return table(("what", "version"), rows)
