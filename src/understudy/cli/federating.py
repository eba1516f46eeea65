"""What the commands of `federate` share: from their words to terms, lines and sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from understudy.cli import screen
from understudy.cli.learning import budget_of, settings_of
from understudy.cli.outcome import figures, meaning, privacy_facts, seconds_text
from understudy.errors import InputError, ParameterError

if TYPE_CHECKING:
    from understudy.federated.federation import Federation
    from understudy.federated.site import Site
    from understudy.federated.terms import Terms
    from understudy.model.model import Model
    from understudy.privacy import Budget, Certificate
    from understudy.table.schema import Schema

__all__ = [
    "Plan",
    "called",
    "conditions_of",
    "keep",
    "keys_of",
    "refuse_file",
    "refuse_odd_waits",
    "show_federation",
    "show_site",
    "site_budget",
]

_LONGEST = 1e9  # seconds: thirty years
_NOT_BY_WORD = ("recipe", "schema", "settings", "private", "seed")


@final
@dataclass(frozen=True)
class Plan:
    """How sites train together; `given` wins over `words`, which are `--term KEY=VALUE`."""

    method: str
    settings: Sequence[str]
    words: Sequence[str]
    given: dict[str, Any]

    def terms(self, schema: Schema) -> Terms:
        """Return the terms for sites that have this schema."""
        from understudy import synth
        from understudy.federated.terms import Terms, columns_of

        settings = settings_of(synth.get(self.method), self.settings)
        return Terms(self.method, columns_of(schema), settings, **(self._worded() | self.given))

    def _worded(self) -> dict[str, Any]:
        from understudy.federated.terms import Terms

        kinds: dict[str, type[Any]] = {
            each.name: type(each.default) for each in fields(Terms) if each.name not in _NOT_BY_WORD
        }
        found: dict[str, Any] = {}
        for text in self.words:
            key, equals, value = text.partition("=")
            if not equals:
                raise ParameterError(f"--term: expected KEY=VALUE; got {text!r}.")
            if key not in kinds or key in self.given or key in found:
                open_to = ", ".join(sorted(set(kinds) - set(self.given)))
                raise ParameterError(f"--term: {key!r} is not one of {open_to}, or is given twice.")
            try:
                found[key] = kinds[key](value)
            except ValueError:
                raise ParameterError(f"--term: {key} must be a number; got {value!r}.") from None
        return found


def keys_of(texts: Sequence[str] | None) -> dict[str, Path]:
    """Return the public keys that `--site NAME=FILE` states, by name.

    >>> keys_of(["a=a.pub"])["a"].name
    'a.pub'
    """
    from understudy.federated.terms import refuse_name

    found: dict[str, Path] = {}
    for text in texts or ():
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ParameterError(f"--site: expected NAME=FILE; got {text!r}.")
        refuse_name("--site", name)
        if name in found:
            raise ParameterError(f"--site: {name!r} is named twice; every site has one key.")
        found[name] = Path(path)
    return found


def site_budget(epsilon: float | None, delta: float | None, *, without: bool) -> Budget | None:
    """Return the budget of a site; none only where that was asked for in so many words."""
    if without and (epsilon is not None or delta is not None):
        raise InputError("site: give either --budget or --without-budget.")
    if epsilon is None and not without:
        raise InputError("site: give --budget; or --without-budget, and what leaves is not private.")
    return budget_of(epsilon, delta)


def called(name: str | None, data: str) -> str:
    """Return what a site is called: as it was said, or as its file is, without what a name cannot have.

    >>> called(None, "folder/north west.csv.gz"), called(None, "bücher.csv"), called("a", "b.csv")
    ('north-west', 'bucher', 'a')
    """
    from unicodedata import combining, normalize

    if name is not None:
        return name
    stem = Path(data.partition("://")[2].partition("?")[0] or data).name.partition(".")[0]
    plain = (letter for letter in normalize("NFKD", stem) if not combining(letter))
    found = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in plain)
    return found.strip("-")[:64] or "site"


def refuse_odd_waits(deadline: float | None, patience: float) -> None:
    """Refuse lengths of time that are none, before anything waits for their end."""
    if deadline is not None and not 0 < deadline < _LONGEST:
        raise ParameterError(
            f"--deadline: expected seconds, more than 0 and below {_LONGEST:g}; got {deadline:g}."
        )
    if not 0 <= patience < _LONGEST:
        raise ParameterError(
            f"--patience: expected seconds, 0 or more and below {_LONGEST:g}; got {patience:g}."
        )


def refuse_file(run: Path) -> None:
    """Refuse a file in the place of the folder of a run."""
    if run.exists() and not run.is_dir():
        raise InputError(f"--run: expected a folder, new or of an earlier start; {run} is a file.")


def keep(path: Path, certificate: Certificate) -> Path:
    """Write a certificate into the folder of a run."""
    from understudy.table.atomic import write_bytes

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return write_bytes(path, certificate.to_json().encode())


def show_federation(
    model: Model, federation: Federation, output: Path, *, seconds: float, delta: float | None, as_json: bool
) -> None:
    """Print what came of a federation: its sites, what went wrong, and what it costs."""
    own = federation.certificates
    facts = [("sites", f"{len(own)}: {', '.join(own)}")]
    facts += [("problem", f"{each.site}, asked for {each.asked}: {each.why}") for each in federation.problems]
    if federation.skipped:
        facts.append(("skipped", f"rounds with too few answers: {federation.skipped}"))
    conditions = conditions_of(model.certificate)
    facts += [("condition", each) for each in conditions]
    facts.append(("wrote", f"{output}, in {seconds_text(seconds)}"))
    tree = {
        "model": str(output),
        "method": model.recipe,
        "settings": model.settings,
        "sites": {name: {"status": each.status, **figures(each, delta)} for name, each in own.items()},
        "problems": [[each.site, each.asked, each.why] for each in federation.problems],
        "skipped": federation.skipped,
        "seconds": round(seconds, 3),
        "status": model.certificate.status,
        "conditions": conditions,
        "meaning": meaning(model.certificate, delta),
        **figures(model.certificate, delta),
    }
    screen.show(facts + privacy_facts(model.certificate, delta), tree, as_json=as_json)


def conditions_of(certificate: Certificate) -> list[str]:
    """Return what must hold of the rows for the prices to be right, each once; nothing for what has none."""
    if certificate.status != "conditional":
        return []
    return list(dict.fromkeys(entry.condition for entry in certificate.entries if entry.condition))


def show_site(site: Site, path: Path, *, delta: float | None, as_json: bool) -> None:
    """Print what a site gave away, and where its certificate is."""
    own = site.certificate
    tree = {
        "site": site.name,
        "certificate": str(path),
        "status": own.status,
        "conditions": conditions_of(own),
        "meaning": meaning(own, delta),
        **figures(own, delta),
    }
    facts = [("site", site.name), *(("condition", each) for each in conditions_of(own))]
    screen.show([*facts, ("wrote", str(path)), *privacy_facts(own, delta)], tree, as_json=as_json)
