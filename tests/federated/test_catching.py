import numpy as np
import pytest
import torch

from federated.parties import sites, terms
from understudy.engines.fields import Fields
from understudy.engines.learner import Learner
from understudy.errors import InputError, ParameterError
from understudy.federated.catching import Catcher, catch, parameters_of, put, refuse_games
from understudy.federated.recipes import method_of, recipe_for


class TwoStages(Learner):
    """Two networks, the second of which sees the first."""

    @property
    def stages(self):
        return ("first", "second", "never")

    def learn(self, fields, fit, seed):  # noqa: ARG002 - it has no columns
        generator = torch.Generator().manual_seed(seed)
        first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        for layer in (first, second):
            torch.nn.init.normal_(layer.weight, generator=generator)
            torch.nn.init.zeros_(layer.bias)
        second.bias.requires_grad_(False)
        fit.train("first", first, total)
        fit.train("second", second, total, inputs=first)


def total(model, rows, _noise):
    return model(rows).sum(1)


FIELDS = Fields((), (), ())


def test_the_network_of_a_stage_is_caught_as_it_was_built():
    left, right = (catch(TwoStages(), FIELDS, 3, "first", {}) for _ in range(2))
    assert torch.equal(left.model.weight, right.model.weight)
    assert left.inputs is None and left.loss(left.model, torch.ones(4, 2), None).shape == (4,)


def test_networks_of_earlier_stages_get_their_weights():
    before = {"first": {"weight": np.full((2, 2), 7, np.float32), "bias": np.zeros(2, np.float32)}}
    found = catch(TwoStages(), FIELDS, 3, "second", before)
    assert torch.equal(found.inputs.weight, torch.full((2, 2), 7.0))


def test_an_earlier_stage_without_weights_is_refused():
    with pytest.raises(InputError, match="needs the weights of 'first'"):
        catch(TwoStages(), FIELDS, 3, "second", {})


def test_stages_that_are_not_there_or_train_nothing_are_refused():
    with pytest.raises(InputError, match="no stage"):
        catch(TwoStages(), FIELDS, 3, "third", {})
    before = {
        "first": parameters_of(torch.nn.Linear(2, 2)),
        "second": {"weight": np.zeros((1, 2), np.float32)},
    }
    with pytest.raises(InputError, match="no network"):
        catch(TwoStages(), FIELDS, 3, "never", before)


class Method:
    """As much of a method as is asked for."""

    def __init__(self, learner):
        self.learner = learner


class Counting:
    """A loss that remembers."""

    def __call__(self, model, rows, _noise):
        self.calls = getattr(self, "calls", 0) + 1
        return model(rows).sum(1)


class Remembering(Learner):
    """One network whose loss remembers."""

    @property
    def stages(self):
        return ("first",)

    def learn(self, fields, fit, seed):  # noqa: ARG002 - it has no columns
        fit.train("first", torch.nn.Linear(2, 2), Counting())


def test_a_network_is_built_once_for_all_rounds_of_its_stage():
    catcher = Catcher(Method(TwoStages()), FIELDS, 3)
    first = catcher.caught("first", {})
    assert catcher.caught("first", {}) is first
    ended = {"first": parameters_of(first.model)}
    second = catcher.caught("second", ended)
    assert second is not first
    assert catcher.caught("second", {"first": parameters_of(first.model)}) is second


def test_other_weights_of_an_earlier_stage_are_another_network():
    catcher = Catcher(Method(TwoStages()), FIELDS, 3)
    zeros = {"first": {"weight": np.zeros((2, 2), np.float32), "bias": np.zeros(2, np.float32)}}
    sevens = {"first": {"weight": np.full((2, 2), 7, np.float32), "bias": np.zeros(2, np.float32)}}
    catcher.caught("second", zeros)
    assert torch.equal(catcher.caught("second", sevens).inputs.weight, torch.full((2, 2), 7.0))


def test_a_loss_that_remembers_is_made_anew_for_every_round():
    catcher = Catcher(Method(Remembering()), FIELDS, 3)
    first = catcher.caught("first", {})
    first.loss(first.model, torch.ones(4, 2), None)
    assert not hasattr(catcher.caught("first", {}).loss, "calls")


def test_only_what_is_learned_travels():
    model = catch(TwoStages(), FIELDS, 3, "second", {"first": parameters_of(torch.nn.Linear(2, 2))}).model
    assert list(parameters_of(model)) == ["weight"]


def test_parameters_come_back_and_misfits_are_refused():
    model = torch.nn.Linear(2, 1)
    told = parameters_of(model)
    told["weight"] += 1
    put(model, told)
    assert np.array_equal(parameters_of(model)["weight"], told["weight"])
    with pytest.raises(InputError, match="shape"):
        put(model, {**told, "weight": np.zeros((1, 3), np.float32)})
    with pytest.raises(InputError, match="names"):
        put(model, {"weight": told["weight"]})


def test_games_do_not_federate():
    with pytest.raises(ParameterError, match="adversarial"):
        refuse_games()


def test_a_recipe_of_a_game_is_refused_by_a_federation():
    from understudy.federated.federation import Federation

    with pytest.raises(ParameterError, match="does not federate"):
        Federation(sites(), terms("ctgan", settings={})).fit()


def test_networks_that_no_message_has_room_for_are_refused_while_they_are_built(monkeypatch):
    monkeypatch.setattr("understudy.federated.catching.MOST_NUMBERS", 50_000)
    sized = {
        width: method_of(recipe_for(terms(settings={"width": width, "depth": 2}), 0.1), noisy=False).learner
        for width in (8, 256)
    }
    fields = Fields((0,), (1,), (3,))
    assert catch(sized[8], fields, 0, "denoiser", {}).model is not None
    with pytest.raises(InputError, match="more than a message holds"):
        catch(sized[256], fields, 0, "denoiser", {})
