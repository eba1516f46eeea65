"""A federation: sites agree, tell their domains, train by rounds, and one model comes out with a certificate.

It runs on any exchange: `InProcess` for studies and tests, Flower between machines; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import final

from understudy.errors import InputError
from understudy.federated.certifying import federated_certificate
from understudy.federated.cohort import Cohort, Problem, refuse_too_few
from understudy.federated.described import bare_of, misfits, read_described
from understudy.federated.domain import Domain, merged_schema
from understudy.federated.exchange import Exchange, InProcess
from understudy.federated.message import Message
from understudy.federated.mixture import evened
from understudy.federated.planning import refuse_unpaid
from understudy.federated.recipes import Networks, method_of, recipe_for, settings_together, tree_of
from understudy.federated.site import Site
from understudy.federated.terms import Terms
from understudy.federated.trees import fit_tree
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Certificate
from understudy.progress import Progress, Silent
from understudy.table.atomic import PRIVATE, write_bytes
from understudy.table.schema import Schema

__all__ = ["Federation"]

_DOMAIN = "domain.message"  # what is kept of the time before the first round


@final
@dataclass(frozen=True)
class _Agreed:
    """What a site agreed with: its certificate, and the rows that it declares, or 0."""

    certificate: Certificate
    rows: float

    def refuse_unpaid(self, terms: Terms, schema: Schema) -> None:
        """Refuse a certificate that lacks what the terms plan for this schema."""
        if terms.private:
            refuse_unpaid(terms, bare_of(terms, schema), self.certificate, self.rows or None)


@final
class Federation:
    """Runs the terms over an exchange, or over sites in this process.

    `keep` is a folder for the round that was reached: a server that was killed goes on there, if its sites
    have folders of their own. `deadline` is how many seconds sites have for an answer. After `fit`,
    `certificates` has each site's own, and `problems` what sites refused or sent amiss.
    """

    def __init__(
        self,
        exchange: Exchange | Sequence[Site],
        terms: Terms,
        *,
        keep: str | Path | None = None,
        deadline: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._exchange = exchange if isinstance(exchange, Exchange) else InProcess(exchange)
        self._terms, self._deadline = terms, deadline
        self._keep, self._agreed_to = None if keep is None else Path(keep), terms
        self._progress = Silent() if progress is None else progress
        self.certificates: dict[str, Certificate] = {}
        self.problems: tuple[Problem, ...] = ()
        self.skipped = 0
        self._sites: dict[str, _Agreed] = {}

    def fit(self, seed: int | None = None) -> Model:
        """Train over all rounds and return the model; `seed` takes the place of the terms'.

        Guarantee: the model is computed from what sites sent, so it costs what their certificates say; one
        row lies at one site, so all of it costs the largest of these.
        """
        terms = self._agreed_to = self._terms if seed is None else replace(self._terms, seed=seed)
        recipe = recipe_for(terms, terms.rate)
        cohort = Cohort(self._exchange, terms, self._deadline)
        refuse_too_few(terms, len(cohort.names))
        try:
            self._agree(cohort)
            told, domain = self._told(cohort)
            sampler = self._learned(cohort, recipe, told, domain)
            # Those that were left out are told too, unless they are gone; nothing else waits for the answers.
            cohort.names = tuple(name for name in self.certificates if name not in cohort.silent)
            closed = cohort.answers(Message("close", {"terms": terms.hash}), self._closed, least=0)
        finally:
            self.problems = tuple(cohort.problems)
        self.certificates |= {name: closed[name] for name in sorted(closed)}
        whole = federated_certificate(self.certificates)
        settings = settings_together(recipe, terms, [told[name].rows for name in sorted(told)])
        return Model(recipe.name(), settings, domain.schema, sampler, whole)

    def _agree(self, cohort: Cohort) -> None:
        """Ask for agreement, and go on with the sites that agreed."""
        self._progress.stage("agreeing on terms")
        terms = cohort.terms
        found = cohort.answers(Message("terms", {"terms": terms.to_json()}), partial(_agreed, terms))
        cohort.narrow(found, "terms", "terms")
        cohort.weights = {
            name: site.rows if terms.weights == "declared" else 1.0 for name, site in found.items()
        }
        self._sites = dict(sorted(found.items()))
        self.certificates = {name: site.certificate for name, site in self._sites.items()}

    def _closed(self, name: str, answer: Message) -> Certificate:
        """Return what a site says at the end; it may say no less than when it agreed."""
        found, before = Certificate.from_json(answer.fact("certificate", str)), self.certificates[name]
        if found.entries[: len(before.entries)] != before.entries:
            raise InputError("federation: its last certificate leaves out what it agreed to.")
        return found

    def _told(self, cohort: Cohort) -> tuple[dict[str, Domain], Domain]:
        """Return what each site tells of its domain, and the merged one."""
        self._progress.stage("merging the domains")
        terms, before = cohort.terms, self._before(cohort)
        schema = self._described(cohort) if before is None else before.schema
        asked = Message("margins", {"terms": terms.hash, "schema": schema.to_json()})
        margins = cohort.answers(asked, partial(_margins, terms, self._sites, schema))
        cohort.narrow(margins, asked.kind, "telling margins")
        if terms.weights == "noisy":
            cohort.weights = {name: margins[name].rows for name in cohort.names}
        return margins, before or Domain.merged(margins, schema, most=float(terms.most_rows))

    def _described(self, cohort: Cohort) -> Schema:
        """Return the schema in which every site's rows have a place."""
        terms = cohort.terms
        asked = Message("describe", {"terms": terms.hash})
        told = cohort.answers(asked, partial(_described, terms, self._sites))
        for name, why in misfits({name: schema for name, (schema, _) in told.items()}).items():
            cohort.problems.append(Problem(name, asked.kind, why))
            del told[name]
        cohort.narrow(told, asked.kind, "describing schemas")
        rows = evened({name: told[name][1] for name in sorted(told)}, float(terms.most_rows))
        return merged_schema([told[name][0] for name in rows], list(rows.values()))

    def _before(self, cohort: Cohort) -> Domain | None:
        """Return the domain that a server that was killed had settled on, and go on with the same sites.

        Sites take no other domain, and what they are asked in a round says how many take part.
        """
        path = None if self._keep is None else self._keep / _DOMAIN
        if path is None or not path.exists():
            return None
        kept = Message.from_bytes(path.read_bytes())
        if kept.fact("terms", str) != self._agreed_to.hash:
            return None
        cohort.names = tuple(name for name in cohort.names if name in kept.fact("sites", list))
        return Domain.of(kept)

    def _note(self, domain: Message, names: tuple[str, ...]) -> None:
        if self._keep is not None:
            self._keep.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept = Message(domain.kind, {**domain.facts, "sites": list(names)}, domain.arrays)
            write_bytes(self._keep / _DOMAIN, kept.to_bytes(), PRIVATE)

    def _learned(self, cohort: Cohort, recipe: Recipe, told: dict[str, Domain], domain: Domain) -> Sampler:
        """Train networks by rounds, or tie a tree of tables that sites count."""
        if not isinstance(recipe, Networks):
            return fit_tree(tree_of(recipe), cohort, told, domain, self.certificates)
        from understudy.federated.rounds import FederatedFit  # it needs torch, and trees do not

        terms, method = cohort.terms, method_of(recipe, noisy=cohort.terms.private)
        message = domain.to_message("domain", terms=terms.hash)
        self._note(message, cohort.names)  # first: sites that were asked take no other one
        cohort.narrow(cohort.answers(message, lambda _, answer: answer), message.kind, "taking the domain")
        self._note(message, cohort.names)
        bought = domain.bought()
        fit = FederatedFit(cohort, message.digest(), method.settings, domain.rows, self._keep, self._progress)
        sampler = bought.sampler(method.learner.learn(bought.fields, fit, terms.seed))
        self.skipped = fit.skipped
        return sampler


def _agreed(terms: Terms, _: str, answer: Message) -> _Agreed:
    found, rows = Certificate.from_json(answer.fact("certificate", str)), answer.fact("rows", float)
    if terms.private and found.status not in ("sound", "conditional"):
        raise InputError("federation: it agreed to private terms, and its certificate bounds nothing.")
    if terms.weights == "declared" and not 1 <= rows <= terms.most_rows:
        raise InputError("federation: it declares a number of rows that is out of range.")
    return _Agreed(found, rows)


def _described(
    terms: Terms, sites: Mapping[str, _Agreed], name: str, answer: Message
) -> tuple[Schema, float]:
    schema, rows = read_described(terms, answer)
    sites[name].refuse_unpaid(terms, schema)
    return schema, rows


def _margins(
    terms: Terms, sites: Mapping[str, _Agreed], schema: Schema, name: str, answer: Message
) -> Domain:
    """Return what a site tells of its domain; its rows are cut where sites are mixed."""
    sites[name].refuse_unpaid(terms, schema)  # of a server that was killed this is the first question
    found = Domain.of(answer)
    if found.schema != schema:
        raise InputError("federation: it told margins of another schema.")
    return found
