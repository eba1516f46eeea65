import copy
from dataclasses import replace

import pyarrow as pa
import pytest

from federated.parties import BUDGET, SCHEMA, table, terms
from understudy.errors import BudgetError, InputError
from understudy.federated.catching import Catcher, catch, parameters_of
from understudy.federated.demand import Demand
from understudy.federated.local_training import Round
from understudy.federated.private_rows import PrivateRows
from understudy.federated.recipes import method_of
from understudy.federated.rows import Holding
from understudy.federated.terms import columns_of
from understudy.privacy import Budget, Ledger, certify
from understudy.privacy.events import SampledGaussian
from understudy.privacy.replay import overreach, recording, replaying, strays
from understudy.table.public import by_type
from understudy.table.raw import raw_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

AGREED = terms(private=True, rounds=3, local_steps=2, rate=0.5)
BARE = Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')


def rows(held=None, schema=SCHEMA, agreed=AGREED, declared=None):
    source = Table(table() if held is None else held)
    own = Holding("a", source, by_type(source, schema), BUDGET, declared, "cpu")
    return PrivateRows(agreed, own, Ledger())


def settled(found):
    domain = found.margins(found.describe())
    bought = domain.bought()
    found.settle(domain.schema, bought.rule)
    return bought


def work(found, bought, number, agreed=AGREED):
    method = method_of(found.planned.recipe, noisy=True)
    told = parameters_of(catch(method.learner, bought.fields, agreed.seed, "denoiser", {}).model)
    demand = Demand(agreed.hash, "d", "denoiser", number, 3, told, {})
    return Round.of(demand, Catcher(method, bought.fields, agreed.seed), agreed)


def whole_run(found, numbers=(0, 1, 2)):
    bought = settled(found)
    return [each.difference(found.fit(each)) for each in (work(found, bought, n) for n in numbers)]


def test_a_whole_run_reads_what_was_planned_and_no_more():
    found = rows()
    before = found.ledger.entries
    made = whole_run(found)
    assert len(made) == 3 and found.ledger.entries == before
    assert certify(found.ledger).sound


def test_rounds_that_were_missed_are_forfeited_and_not_saved_up():
    found = rows()
    bought = settled(found)
    late = work(found, bought, 2)
    late.difference(found.fit(late))
    with pytest.raises(BudgetError, match="begun before"):
        found.fit(work(found, bought, 0))
    with pytest.raises(BudgetError, match="reserved for less"):  # the ledger itself counts, too
        found.ledger.use("training.denoiser", SampledGaussian(found.planned.noise, 0.5, 2))


def test_a_run_asks_the_same_of_a_neighbouring_table_and_sees_no_more_than_one_row_of_it():
    """Record and replay: all releases of one run, given to the run of a table with one row more."""
    larger = pa.concat_tables([table(), pa.table({"age": [99], "town": ["C"]})])
    with recording(0) as recorded:
        whole_run(rows())
    with replaying(copy.deepcopy(recorded)) as replayed:
        whole_run(rows(larger))
    assert strays(recorded, replayed) == [] and overreach(recorded, replayed) == []


def test_what_leaves_under_replay_does_not_depend_on_rows():
    """Taint: with every release fixed, two different tables send the same differences."""
    with recording(0) as recorded:
        first = whole_run(rows())
    with replaying(copy.deepcopy(recorded)):
        second = whole_run(rows(table(55, seed=9)))
    assert all(
        (left[name] == right[name]).all() for left, right in zip(first, second, strict=True) for name in left
    )


def test_noise_that_a_test_fixed_is_stamped():
    with recording(0):
        found = rows()
        whole_run(found, (0,))
    assert not certify(found.ledger).sound


def test_two_runs_of_one_table_draw_other_noise():
    first, second = whole_run(rows(), (0,)), whole_run(rows(), (0,))
    assert any((first[0][name] != second[0][name]).any() for name in first[0])


def test_rows_are_told_as_declared_or_as_noise_says():
    declared, counted = rows(declared=77), rows()
    assert (declared.declared, declared.told) == (77.0, 77.0)
    assert counted.declared is None and counted.told == 1.0
    settled(counted)
    assert 20 < counted.told < 100


def test_an_open_schema_is_bought_once_and_its_count_is_told():
    found = rows(table().select(["age"]), BARE)
    assert found.describe() is found.describe()
    assert found.told != 1.0


def test_nothing_is_trained_before_a_domain_or_for_a_stage_that_was_not_planned():
    found = rows()
    other = rows()
    bought = settled(other)
    with pytest.raises(InputError, match="nothing is read"):
        found.fit(work(other, bought, 0))


def test_private_rows_need_a_budget():
    own = Holding("a", Table(table()), SCHEMA, None, None, "cpu")
    with pytest.raises(BudgetError, match="need a budget"):
        PrivateRows(AGREED, own, Ledger())


def test_less_noise_by_other_terms_is_another_reservation():
    ledger = Ledger()
    source = Table(table())
    own = Holding("a", source, by_type(source, SCHEMA), BUDGET, None, "cpu")
    PrivateRows(AGREED, own, ledger)
    with pytest.raises(BudgetError, match="does not fit the budget"):
        PrivateRows(replace(AGREED, run="again"), own, ledger)


def test_values_that_no_site_told_are_taken_for_told_levels_by_their_shares():
    words = ["A"] * 900 + ["B"] * 600 + [f"rare {number}" for number in range(1_000)]
    held = pa.table({"word": words, "age": list(range(2_500))})
    generous = Budget(epsilon=20.0, delta=1e-6)
    agreed = replace(AGREED, schema=columns_of(by_type(Table(held))))
    own = Holding("a", Table(held), by_type(Table(held)), generous, None, "cpu")
    found = PrivateRows(agreed, own, Ledger())
    domain = found.margins(found.describe())
    assert domain.schema.column("word").levels.values == ("A", "B")
    read = found._encoding(domain.schema)  # what rounds are trained on never leaves the vault
    codes = read(raw_columns(held, by_type(Table(held))))["word"]
    assert (codes >= 0).all() and (codes == 0).mean() == pytest.approx(0.6, abs=0.05)
