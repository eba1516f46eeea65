from dataclasses import replace

import numpy as np
import pytest

from federated.parties import BUDGET, SCHEMA, Losing, fitted, openly, sites, table, terms
from understudy.engines.marginals.cliques import shape_of
from understudy.errors import InputError, ParameterError
from understudy.federated.cohort import Cohort
from understudy.federated.exchange import Exchange, InProcess
from understudy.federated.federation import Federation
from understudy.federated.message import Message
from understudy.federated.site import Site
from understudy.federated.told_tables import Expected
from understudy.federated.trees import FederatedTables
from understudy.model.cells import Cells
from understudy.model.tables import Candidate
from understudy.privacy import Budget
from understudy.privacy.events import DiscreteGaussian, Selection

CELLS = {name: Cells.of(np.array([0.5, 0.5]), np.array([0, 1], np.int32)) for name in "abc"}


class Told(Exchange):
    """Sites that answer as they were told to."""

    def __init__(self, **answers):
        self.answers = answers

    @property
    def names(self):
        return tuple(self.answers)

    def ask(self, messages, deadline=None):  # noqa: ARG002 - nobody is late
        return {name: openly(self.answers[name]) for name in messages if self.answers[name] is not None}


def tables(weights, noise=1.0, **answers):
    cohort = Cohort(Told(**answers), terms("mst", least_cohort=1, tries=1))
    known = {name: Expected(rows, noise, 0.0) for name, rows in weights.items()}
    return FederatedTables(CELLS, (), 100.0, cohort, weights, known)


def counts(value):
    return Message("tables", {}, {"0": np.full((2, 2), value)})


def pairs(*found):
    return Message("span", {"pairs": [list(pair) for pair in found]})


CANDIDATES = [Candidate(of, np.zeros((2, 2))) for of in ((0, 1), (0, 2), (1, 2))]


def test_tables_are_added_up_and_so_is_their_noise():
    (found,) = tables({"x": 8.0, "y": 20.0}, x=counts(2.0), y=counts(5.0)).measure("m", [(0, 1)])
    assert found.table.tolist() == [[7.0, 7.0], [7.0, 7.0]]
    assert found.sigma == pytest.approx(2**0.5) and found.table.shape == shape_of((0, 1), (2, 2, 2))


def test_for_a_site_that_is_gone_the_others_stand_in():
    (found,) = tables({"x": 12.0, "y": 4.0}, x=counts(3.0), y=None).measure("m", [(0, 1)])
    assert found.table.tolist() == [[4.0, 4.0], [4.0, 4.0]] and found.sigma == pytest.approx(4 / 3)


@pytest.mark.parametrize(
    "bad",
    [
        Message("tables", {}, {"0": np.full((2, 2), np.nan)}),
        Message("tables", {}, {"0": np.full((2, 2), 1, np.float32)}),
        Message("tables", {}, {"0": np.zeros((2, 3))}),
        Message("tables", {}, {}),
        Message("tables", {}, {"0": np.zeros((2, 2)), "1": np.zeros((2, 2))}),
        counts(1e9),
        counts(-1e9),
    ],
    ids=["nan", "type", "shape", "none", "more", "rows", "below 0"],
)
def test_tables_that_were_not_asked_for_or_cannot_be_are_left_out(bad):
    found = tables({"x": 12.0, "y": 12.0}, x=counts(3.0), y=bad)
    assert found.measure("m", [(0, 1)])[0].table[0, 0] == 6.0
    assert [each.site for each in found.cohort.problems] == ["y"]


def test_a_site_that_told_more_rows_than_it_counts_for_has_its_tables_made_smaller():
    found = tables({"x": 8.0, "y": 80.0}, x=counts(2.0), y=counts(200.0))
    known = {**found.known, "y": Expected(800.0, 4.0, 0.0)}
    (made,) = replace(found, known=known).measure("m", [(0, 1)])
    assert made.table[0, 0] == pytest.approx(2 + 20)
    assert made.sigma == pytest.approx((1 + 0.4**2) ** 0.5)


def test_the_pairs_that_most_rows_stand_for_are_tied():
    told = {"x": pairs((0, 1), (1, 2)), "y": pairs((0, 2), (1, 2))}
    assert tables({"x": 3.0, "y": 1.0}, **told).span("s", CANDIDATES) == [2, 0]
    assert tables({"x": 1.0, "y": 3.0}, **told).span("s", CANDIDATES) == [2, 1]


NO_TREES = {
    "few": pairs((0, 1)),
    "twice": pairs((0, 1), (0, 1)),
    "odd": pairs((0, 1), (1, 9)),
    "none": pairs(),
    "tables": counts(1),
    "lists": Message("span", {"pairs": [[[0], 1], [0, {"a": 1}]]}),
    "words": Message("span", {"pairs": [["a", "b"], None]}),
    "no numbers": Message("span", {"pairs": [[False, True], [True, 2]]}),
}


@pytest.mark.parametrize("bad", NO_TREES.values(), ids=NO_TREES)
def test_votes_that_are_no_tree_are_left_out(bad):
    found = tables({"x": 1.0, "y": 9.0}, x=pairs((0, 1), (1, 2)), y=bad)
    assert found.span("s", CANDIDATES) == [0, 2] and len(found.cohort.problems) == 1


def test_nothing_else_federates():
    found = tables({"x": 1.0})
    for call in (
        lambda: found.choose("c", CANDIDATES),
        lambda: found.best("b", CANDIDATES, 2, 1.0),
        lambda: found.apart("a", CANDIDATES),
    ):
        with pytest.raises(ParameterError, match="mst federates"):
            call()
    with pytest.raises(ParameterError, match="does not federate"):
        fitted(sites(), terms("histogram", settings={}))


def dependence(frame):
    return float(frame.groupby("town")["age"].mean().diff().dropna().mean())


def large(budget):
    return [Site(f"s{k}", table(3_000, seed=k), budget, schema=SCHEMA) for k in range(3)]


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_a_tree_of_three_sites_keeps_what_a_town_says_of_an_age(budget):
    federation = Federation(large(budget), terms("mst", private=budget is not None))
    model = federation.fit()
    drawn = model.sample_table(4_000).to_arrow().to_pandas()
    assert dependence(drawn) == pytest.approx(10.0, abs=1.5)  # ten years from town to town, by law
    assert federation.problems == ()
    assert model.certificate.status == ("none" if budget is None else "sound")


def test_every_site_pays_for_its_choices_and_its_tables():
    found = sites(BUDGET)
    Federation(found, terms("mst", private=True)).fit()
    for site in found:
        events = {entry.name: entry.event for entry in site.certificate.entries}
        assert isinstance(events["mst.choose"], Selection)
        assert isinstance(events["mst.pairs"], DiscreteGaussian)
        assert site.certificate.sound


def test_more_tables_than_were_planned_are_refused():
    class Greedy(InProcess):
        def ask(self, messages, deadline=None):
            asked = {
                name: Message("measure", {**m.facts, "cliques": [[0, 1], [0, 1]]}, m.arrays)
                if m.kind == "measure"
                else m
                for name, m in messages.items()
            }
            return InProcess.ask(self, asked, deadline)

    with pytest.raises(InputError, match="at most 1 pairs"):
        fitted(Greedy(sites(BUDGET)), terms("mst", private=True))


def test_a_site_that_drops_out_after_its_margins_is_made_up_for():
    class Leaving(Losing):
        def ask(self, messages, deadline=None):
            answers = self._inner.ask(messages, deadline)
            measuring = next(iter(messages.values())).kind == "measure"
            return {n: a for n, a in answers.items() if not (measuring and n == "s2")}

    model = fitted(Leaving(large(None), None), terms("mst"))
    assert dependence(model.sample_table(4_000).to_arrow().to_pandas()) == pytest.approx(10.0, abs=1.5)


class Hostile(InProcess):
    """One site of three sends what it likes in the place of its answers of one kind."""

    def __init__(self, found, kind, change):
        InProcess.__init__(self, found)
        self._kind, self._change = kind, change

    def ask(self, messages, deadline=None):
        answers = InProcess.ask(self, messages, deadline)
        odd = answers.get("s0")
        if odd is not None and odd.kind == self._kind:
            answers["s0"] = self._change(odd)
        return answers


@pytest.mark.parametrize("value", [1e300, 1e12, -1e6])
def test_a_site_that_sends_counts_of_rows_that_it_does_not_have_is_left_out(value):
    def change(answer):
        held = {name: np.full_like(table, value) for name, table in answer.arrays.items()}
        return Message(answer.kind, answer.facts, held)

    federation = Federation(Hostile(large(None), "tables", change), terms("mst", tries=1))
    drawn = federation.fit().sample_table(4_000).to_arrow().to_pandas()
    assert dependence(drawn) == pytest.approx(10.0, abs=1.5)
    assert {(each.site, each.asked) for each in federation.problems} == {("s0", "measure")}


def test_a_site_that_claims_all_rows_does_not_decide_alone():
    def change(answer):
        return Message(answer.kind, {**answer.facts, "rows": 1e300}, answer.arrays)

    federation = Federation(Hostile(large(None), "margins", change), terms("mst", tries=1))
    model = federation.fit()
    assert model.sampler.rows <= 12 * 3_000
    assert dependence(model.sample_table(4_000).to_arrow().to_pandas()) == pytest.approx(10.0, abs=1.5)


def test_a_site_whose_noise_would_drown_the_others_is_left_out():
    budgets = [Budget.zcdp(rho=1e-6), BUDGET, BUDGET]
    found = [Site(f"s{k}", table(3_000, seed=k), budget, schema=SCHEMA) for k, budget in enumerate(budgets)]
    federation = Federation(found, terms("mst", private=True))
    federation.fit()
    assert [(each.site, each.asked) for each in federation.problems] == [("s0", "margins")]
    assert set(federation.certificates) == {"s0", "s1", "s2"}  # it has told its margins, and paid
