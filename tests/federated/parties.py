"""Small federations for tests: three sites of one law, a schema that leaves nothing open, tiny networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from understudy.federated.exchange import Exchange, InProcess
from understudy.federated.federation import Federation
from understudy.federated.message import Message
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of
from understudy.privacy import Budget
from understudy.table.schema import Schema

SMALL = {
    "findiff": {"width": 8, "depth": 1, "sampling_steps": 3, "again": 1, "draws": 1},
    "tabddpm": {"layers": "8", "entry": 8, "sampling_steps": 3, "again": 1, "draws": 1},
    "tvae": {"latent": 2, "width": 8, "depth": 1, "rounds": 1},
    "mst": {"steps": 60},
    "tldm": {"latent": 2, "width": 8, "depth": 1, "sampling_steps": 3, "rounds": 1, "draws": 1},
}
BUDGET = Budget.zcdp(rho=2.0)  # priced in closed form: nothing to wait for

SCHEMA = Schema.from_json(
    """{"columns": [
    {"name": "age", "kind": "numerical", "type": "int64", "resolution": 1.0,
     "bounds": {"low": 0, "high": 100}, "missing": {"rate": 0.0}},
    {"name": "town", "kind": "categorical", "type": "string",
     "levels": {"values": ["A", "B", "C"]}, "missing": {"rate": 0.0}}
    ]}"""
)


def table(rows: int = 60, seed: int = 0) -> pa.Table:
    """Draw rows of one law."""
    rng = np.random.default_rng(seed)
    town = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    age = np.clip(np.round(rng.normal(30 + 10 * town, 8)), 0, 100).astype(np.int64)
    return pa.table({"age": age, "town": np.array(["A", "B", "C"])[town]})


def sites(budget: Budget | None = None, count: int = 3, folder=None, **more) -> list[Site]:
    """Return sites with tables of different sizes."""
    return [
        Site(
            f"site{k}",
            table(40 + 20 * k, seed=k),
            budget,
            schema=SCHEMA,
            folder=None if folder is None else folder / f"site{k}",
            device="cpu",
            **{"least_cohort": min(count, 2), **more},
        )
        for k in range(count)
    ]


def terms(recipe: str = "findiff", **changes) -> Terms:
    """Return terms of a short run in the open; `private=True` for one with a budget."""
    plain = Terms(
        recipe,
        columns_of(sites(count=1)[0].schema),
        SMALL.get(recipe, {}),
        private=False,
        **({} if recipe == "mst" else {"rounds": 2, "local_steps": 3}),
    )
    return replace(plain, **changes)


def weights_of(model) -> dict[str, np.ndarray]:
    """Return the learned arrays of a model."""
    return {name: np.array(value) for name, value in model.sampler.generator.state()[0].items()}


def same(left, right, tolerance: float = 0.0) -> bool:
    """Say whether two models have the same learned arrays."""
    mine, other = weights_of(left), weights_of(right)
    return mine.keys() == other.keys() and all(
        np.allclose(mine[name], other[name], rtol=0, atol=tolerance) for name in mine
    )


def fitted(found: list[Site] | Exchange, agreed: Terms, **more):
    """Return the model of a federation."""
    return Federation(found, agreed, **more).fit()


def joined(site: Site, agreed: Terms) -> tuple[Message, str]:
    """Let one site go through all that comes before training; return its domain's message and digest."""
    from understudy.federated.domain import Domain

    def ask(message: Message) -> Message:
        answer = site.receive(message)
        assert answer.kind != "refused", answer.facts
        return answer

    ask(Message("terms", {"terms": agreed.to_json()}))
    described = ask(Message("describe", {"terms": agreed.hash}))
    told = ask(Message("margins", {"terms": agreed.hash, "schema": described.facts["schema"]}))
    domain = Domain.of(told).to_message("domain", terms=agreed.hash)
    ask(domain)
    return domain, domain.digest()


def openly(answer: Message) -> Message:
    """Return an answer as a site without a budget sends it."""
    return Message(answer.kind, {"private": False, **answer.facts}, answer.arrays)


class Losing(Exchange):
    """Loses answers as a rule says: `lost(ask number, site)`; training rounds only."""

    def __init__(self, found: list[Site], lost) -> None:
        self._inner, self._lost, self.asked = InProcess(found), lost, 0

    @property
    def names(self) -> tuple[str, ...]:
        return self._inner.names

    def ask(self, messages, deadline=None):
        answers = self._inner.ask(messages, deadline)
        if any(message.kind == "train" for message in messages.values()):
            self.asked += 1
            return {name: each for name, each in answers.items() if not self._lost(self.asked, name)}
        return answers
