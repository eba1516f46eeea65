"""Rows of a site with a budget: planned, paid for in one commit, and only then read, through mechanisms.

Guarantee: whatever this site ever sends is computed from what its vault released, so it costs what the ledger
says: the schema and the margins that were bought, and for every stage rounds x local steps of sampled
Gaussian noise at this site's own rate. All of it is debited before the first row is read, whether or not all
rounds take place.

Round r of a stage is read number r of that stage's name: its batches and noise come from that number's own
stream. Rounds that the site was not asked for are forfeited, never saved up. So a round that was begun once
is never begun with other parameters, not even after a crash: the ledger's witness refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, final

from understudy.errors import BudgetError, InputError
from understudy.federated.domain import Domain
from understudy.federated.planning import plan_privately
from understudy.federated.rows import Holding, Rows
from understudy.federated.shared_cells import one_way_of
from understudy.federated.terms import Terms
from understudy.model import noisy_margins, purchase
from understudy.model.cells import Cells
from understudy.model.neural_fit import read_name
from understudy.model.private_codec import Rule
from understudy.model.tables import NoisyTables
from understudy.privacy import Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, SampledGaussian
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.table.level_order import in_order_of_types
from understudy.table.raw import encode, raw_columns
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.engines.training.privately import PrivateFit
    from understudy.federated.local_training import Round

__all__ = ["PrivateRows"]


@final
class PrivateRows(Rows):
    """A vault with a reservation for the whole run; see the guarantee above."""

    def __init__(self, terms: Terms, held: Holding, ledger: Ledger) -> None:
        if held.budget is None:
            raise BudgetError("Site: private terms need a budget; give one, or agree to open terms.")
        self.terms, self._held = terms, held
        self.planned = plan_privately(terms, held.bare, held.budget, held.rows, held.condition)
        self.ledger = ledger
        stream = self.ledger.reserve(self.planned.entries, held.budget, run=f"{terms.run}:{terms.hash}")
        self._raw = Vault(raw_columns(held.table.to_arrow(), held.bare), self.ledger, stream)
        self._schema: Schema | None = None
        self._counted: float | None = None
        self._told: Domain | None = None
        self._encoded: Vault | None = None
        self._next: dict[str, int] = {}  # by stage: the first round that was not begun

    @property
    def declared(self) -> float | None:
        """How many rows the site says there are; that is taken to be public."""
        return None if self._held.rows is None else float(self._held.rows)

    @property
    def told(self) -> float:
        """How many rows there are, declared or as noise says."""
        if self.declared is not None:
            return self.declared
        if self._counted is not None:
            return self._counted
        told = purchase.told_rows(self._raw, self.planned.events)
        return 1.0 if told is None else told[0]

    def describe(self) -> Schema:
        """Buy what the schema leaves open; a second time it is known."""
        if self._schema is None:
            bought = purchase.buy(self._raw, self._held.bare, self.planned.events)
            self._schema = in_order_of_types(bought, self._held.table)
        return self._schema

    def margins(self, schema: Schema) -> Domain:
        """Buy the margins."""
        self.describe()  # counts that were bought with the schema take part
        vault = self._raw.map(self._encoding(schema))
        binned = noisy_margins.buy(vault, schema, self.planned.events)
        self._counted = binned.rows
        self._told = Domain(schema, binned.margins, self.told)
        return self._told

    def settle(self, schema: Schema, rule: Rule) -> None:
        """Encode the rows behind the vault, once."""
        from understudy.federated.local_training import MATRIX  # it needs torch, and trees do not

        encoding = self._encoding(schema)
        self._encoded = self._raw.map(lambda rows: {MATRIX: rule(encoding(rows))})

    def _encoding(self, schema: Schema) -> Callable[[Columns], Columns]:
        """Return the map of rows to a merged schema; values that no site told go by what this one told."""
        self.describe()
        shares = purchase.told_shares(self._raw, schema, self.planned.events)
        return lambda rows: encode(dict(rows), schema, shares)

    def tables(self, schema: Schema, cells: dict[str, Cells]) -> NoisyTables:
        """Return tables that are read at the prices of the plan; those of single columns are known by now."""
        if self._told is None:
            raise InputError("Site: tables come after margins; ask for those first.")
        vault = self._raw.map(self._encoding(schema))
        price = self.planned.events[noisy_margins.COUNTS]
        sigma = price.sigma if isinstance(price, DiscreteGaussian) else 1.0
        one_way = one_way_of(self._told.margins, cells, self._told.rows, sigma)
        return NoisyTables.of(vault, cells, one_way, self._told.rows, self.planned.events)

    def fit(self, work: Round) -> PrivateFit:
        """Return a fit whose one read is the round's own; rounds before it are forfeited."""
        from understudy.federated.local_training import private_fit

        stage, number = work.demand.stage, work.demand.round
        vault, name = self._encoded, read_name(stage)
        event = self.planned.events.get(name)
        if vault is None or not isinstance(event, SampledGaussian):
            raise InputError(f"Site: no steps are planned for stage {stage!r}; nothing is read.")
        if number < self._next.get(stage, 0):
            raise BudgetError(f"Site: round {number} of {stage!r} was begun before; it is not begun again.")
        self._forfeit(stage, number, event)

        def read(_: str, mechanism: Mechanism) -> Any:
            self._next[stage] = number + 1
            try:
                return vault.read(name, mechanism)
            except BaseException:  # an interrupt spends the round as well
                self._pass_over(name, number, mechanism)
                raise

        return private_fit(work, read, event, self.told, self._held.device)

    def _pass_over(self, name: str, number: int, mechanism: Mechanism) -> None:
        """Forfeit a round that failed, unless the ledger has kept it: the next one has the next number."""
        with suppress(BudgetError):  # no room is left: it was kept, and was the last
            if self.ledger.use(name, mechanism.event) > number:
                self.ledger.undo()

    def _forfeit(self, stage: str, number: int, event: SampledGaussian) -> None:
        part = SampledGaussian(event.noise, event.rate, self.terms.local_steps)
        for passed in range(self._next.get(stage, 0), number):
            self.ledger.use(read_name(stage), part)  # its noise is never drawn, its price stays paid
            self._next[stage] = passed + 1
