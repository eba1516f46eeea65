import numpy as np
import pytest
import torch

from federated.parties import openly, terms
from understudy.engines.training.fit import Settings
from understudy.errors import InputError, ParameterError
from understudy.federated.cohort import Cohort
from understudy.federated.demand import Demand
from understudy.federated.exchange import Exchange
from understudy.federated.message import Message
from understudy.federated.rounds import FederatedFit
from understudy.federated.updates import Update

SETTINGS = {"s": Settings(steps=6, lr=0.1, ema=0.0)}


class Steady(Exchange):
    """Sites that answer every demand with a difference of their own, always the same."""

    def __init__(self, **by):
        self.by, self.demands = by, []

    @property
    def names(self):
        return tuple(self.by)

    def ask(self, messages, deadline=None):  # noqa: ARG002 - nobody is late
        answers = {}
        for name, message in messages.items():
            demand = Demand.of(message)
            self.demands.append((name, demand))
            made = {key: np.full_like(value, self.by[name]) for key, value in demand.parameters.items()}
            told = Update(demand.terms, demand.stage, demand.round, message.digest(), 1.0, made)
            answers[name] = openly(told.to_message())
        return answers


def fit(exchange, agreed, keep=None, settings=SETTINGS):
    cohort = Cohort(exchange, agreed, weights=dict.fromkeys(exchange.names, 1.0))
    return FederatedFit(cohort, "domain", settings, 100.0, keep)


def model():
    found = torch.nn.Linear(2, 1)
    torch.nn.init.zeros_(found.weight)
    torch.nn.init.zeros_(found.bias)
    return found


def trained(exchange, agreed=None, **more):
    found = model()
    fit(exchange, agreed or terms(rounds=3, local_steps=2), **more).train("s", found, None)
    return float(found.weight.detach()[0, 0])


def test_rounds_add_up_the_mean_of_the_differences():
    assert trained(Steady(a=0.01, b=0.03)) == pytest.approx(0.06)


def test_equal_sites_are_as_good_as_one():
    assert trained(Steady(a=0.02)) == trained(Steady(a=0.02, b=0.02, c=0.02)) == pytest.approx(0.06)


def test_a_demand_says_all_that_its_answer_depends_on():
    exchange = Steady(a=0.01, b=0.01)
    trained(exchange)
    demand = exchange.demands[-1][1]
    assert (demand.round, demand.cohort, demand.stage, demand.domain) == (2, 2, "s", "domain")
    assert demand.terms == terms(rounds=3, local_steps=2).hash


def test_no_site_goes_farther_than_adam_can():
    # 2 steps of rate 0.1, 3 parameters: a length of 0.1 x 2 x 3.17 x sqrt(3) at most.
    assert trained(Steady(a=1e9), terms(rounds=1, local_steps=2)) == pytest.approx(0.632, rel=0.01)
    assert trained(Steady(a=1e9), terms(rounds=1, local_steps=2, limit=0.3)) == pytest.approx(
        0.1732, rel=1e-3
    )


def test_an_average_over_rounds_is_kept_where_the_recipe_averages():
    averaged = trained(Steady(a=0.01), settings={"s": Settings(steps=6, lr=0.1, ema=0.999)})
    # Ramp (1 + r) / (10 + r): 0.01, 0.02, 0.03 weigh 9/10 and so on.
    first = 0.9 * 0.01
    second = 2 / 11 * first + 9 / 11 * 0.02
    assert averaged == pytest.approx(3 / 12 * second + 9 / 12 * 0.03, rel=1e-4)


def test_what_finished_stages_learned_goes_with_the_next_one():
    exchange = Steady(a=0.01)
    both = fit(exchange, terms(rounds=1, local_steps=2), settings={**SETTINGS, "t": SETTINGS["s"]})
    both.train("s", model(), None)
    both.train("t", model(), None)
    assert list(exchange.demands[-1][1].before) == ["s"]
    assert exchange.demands[-1][1].before["s"]["weight"][0, 0] == pytest.approx(0.01)


def test_a_checkpoint_is_taken_up_by_the_same_terms_only(tmp_path):
    agreed = terms(rounds=3, local_steps=2)
    first = trained(Steady(a=0.01), agreed, keep=tmp_path)
    silent = Steady(a=5.0)
    assert trained(silent, agreed, keep=tmp_path) == first and silent.demands == []
    other = Steady(a=0.02)
    assert trained(other, terms(rounds=3, local_steps=2, seed=9), keep=tmp_path) == pytest.approx(0.06)


class Silent(Steady):
    """Sites whose updates are no numbers, in all rounds or in the first few."""

    def __init__(self, until, **by):
        Steady.__init__(self, **by)
        self._until = until

    def ask(self, messages, deadline=None):
        answers = Steady.ask(self, messages, deadline)
        if self.demands[-1][1].round >= self._until:
            return answers
        return {
            name: Message(each.kind, each.facts, {k: v * np.nan for k, v in each.arrays.items()})
            for name, each in answers.items()
        }


def test_a_stage_without_a_single_update_makes_no_model():
    with pytest.raises(InputError, match=r"nothing was trained in stage 's'.*'a'.*must be finite"):
        trained(Silent(3, a=0.01))
    assert trained(Silent(2, a=0.01)) == pytest.approx(0.01)


def test_a_server_plays_no_game_and_tells_what_it_knows():
    found = fit(Steady(a=0.0), terms())
    assert (found.rows, found.private, found.device.type) == (100.0, False, "cpu")
    with pytest.raises(ParameterError, match="adversarial"):
        found.play("s", None)
