import numpy as np
import pytest
import torch

from federated.parties import SCHEMA, sites, table, terms, weights_of
from understudy.engines.margin import fit_margins
from understudy.engines.training.fit import Settings
from understudy.engines.training.identity import digest_of
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.order import Order, seed_of
from understudy.errors import InputError, ParameterError
from understudy.federated.catching import Catcher, Caught, catch, parameters_of, put
from understudy.federated.demand import Demand
from understudy.federated.domain import Domain
from understudy.federated.federation import Federation
from understudy.federated.local_training import Round, open_fit, round_settings, within_memory
from understudy.federated.recipes import method_of, recipe_for
from understudy.federated.site import Site
from understudy.table.columns import to_columns

PLAIN = {"width": 8, "depth": 1, "network": "plain", "sampling_steps": 3, "again": 1, "ema": 0.0}


def site(rows=80):
    return Site("all", table(rows), schema=SCHEMA, device="cpu", least_cohort=1)


def bought(rows=80):
    margins = fit_margins(to_columns(table(rows), SCHEMA), {"town": 3}, 1_000)
    return Domain(SCHEMA, margins, float(rows)).bought()


def matrix(rows=80):
    return bought(rows).rule(to_columns(table(rows), SCHEMA))


def learned(model):
    return {name.removeprefix("network."): value for name, value in weights_of(model).items()}


def built(agreed):
    method = method_of(recipe_for(agreed, agreed.rate), noisy=False)
    return catch(method.learner, bought().fields, agreed.seed, "denoiser", {}), method.settings["denoiser"]


def alone(agreed):
    return {"settings": PLAIN, "least_cohort": 1, **agreed}


def test_one_round_of_one_site_is_central_training():
    agreed = terms(**alone({"rounds": 1, "local_steps": 150}))
    found = learned(Federation([site()], agreed).fit())
    caught, settings = built(agreed)
    own = round_settings(settings, agreed, 0)
    fit = OpenFit(matrix(), {"denoiser": own}, seed_of(0, "all", "denoiser", "0"), device="cpu")
    fit.train("denoiser", caught.model, caught.loss)
    central = parameters_of(caught.model)
    assert all(np.allclose(found[name], central[name], atol=2e-6) for name in central)


def test_rounds_of_one_site_are_central_training_with_a_fresh_adam_for_each():
    """By a loop of its own: torch's Adam, the batches and draws that the house's order gives."""
    agreed = terms(**alone({"rounds": 3, "local_steps": 5}))
    found = learned(Federation([site()], agreed).fit())
    caught, settings = built(agreed)
    model, rows = caught.model.train(), torch.from_numpy(matrix())
    for number in range(3):
        own = round_settings(settings, agreed, number)
        seed = (seed_of(0, "all", "denoiser", str(number)), "denoiser")
        adam = torch.optim.AdamW(model.parameters(), lr=own.lr, betas=own.betas, weight_decay=0.0)
        order = Order(len(rows), own.batch, rows.device, seed).block(0)
        noise = torch.Generator().manual_seed(seed_of(*seed, "noise", "0"))
        for step in range(5):
            adam.zero_grad()
            caught.loss(model, rows[order[step]], noise).mean().backward()
            adam.step()
    central = parameters_of(model)
    assert all(np.allclose(found[name], central[name], atol=1e-5) for name in central)


def test_the_rate_of_a_round_is_the_mean_of_the_schedule_there():
    settings = Settings(steps=12, lr=1.0, schedule="linear", warmup=0, ema=0.9, validation=0.2)
    agreed = terms(rounds=3, local_steps=4)
    found = [round_settings(settings, agreed, number) for number in range(3)]
    assert [each.lr for each in found] == pytest.approx([1 - 1.5 / 12, 1 - 5.5 / 12, 1 - 9.5 / 12])
    assert {(e.steps, e.schedule, e.ema, e.validation, e.pull) for e in found} == {(4, "constant", 0, 0, 0)}


def test_clips_are_those_of_the_terms_where_noise_is_added():
    private = round_settings(Settings(clip=3.0), terms(private=True, clip=0.5), 0)
    assert private.clip == 0.5 and round_settings(Settings(clip=3.0), terms(clip=0.5), 0).clip == 3.0
    assert round_settings(Settings(), terms(strategy="fedprox", pull=0.3), 0).pull == 0.3


def test_each_round_shuffles_by_itself():
    agreed = terms(settings=PLAIN)
    caught, _ = built(agreed)
    told = parameters_of(caught.model)
    method = method_of(recipe_for(agreed, 0.1), noisy=False)
    made = []
    for number in (0, 1):
        demand = Demand(agreed.hash, "d", "denoiser", number, 2, told, {})
        work = Round.of(demand, Catcher(method, bought().fields, agreed.seed), agreed)
        put(work.caught.model, told)
        made.append(work.difference(open_fit(work, matrix(), (0, "a"), "cpu")))
    assert any(not np.allclose(made[0][name], made[1][name]) for name in told)


def test_a_network_that_is_used_again_learns_what_a_new_one_learns_and_is_known_as_the_same():
    agreed = terms(settings=PLAIN, rounds=3)
    told = parameters_of(built(agreed)[0].model)
    method = method_of(recipe_for(agreed, 0.1), noisy=False)
    kept = Catcher(method, bought().fields, agreed.seed)
    for number in range(3):
        demand = Demand(agreed.hash, "d", "denoiser", number, 2, told, {})
        again, new = (
            Round.of(demand, catcher, agreed)
            for catcher in (kept, Catcher(method, bought().fields, agreed.seed))
        )
        # The witness of a read holds this digest: a site that was killed has only new networks.
        assert digest_of(again.caught.model, again.caught.loss) == digest_of(
            new.caught.model, new.caught.loss
        )
        left, right = (work.difference(open_fit(work, matrix(), (0, "a"), "cpu")) for work in (again, new))
        assert all(np.array_equal(left[name], right[name]) for name in told)


def test_networks_that_keep_statistics_of_rows_do_not_federate():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    caught = Caught(model, lambda net, rows, _: net(rows).sum(1), None)
    demand = Demand("t", "d", "s", 0, 2, parameters_of(model), {})
    work = Round(demand, caught, Settings(steps=2, batch=8))
    rows = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    with pytest.raises(ParameterError, match="batch norm"):
        work.difference(open_fit(work, rows, (0, "a"), "cpu"))


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("x"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: y"),
    ],
)
def test_a_round_that_there_is_no_memory_for_is_refused_and_ends_no_site(error):
    with pytest.raises(InputError, match="not enough memory here for such a round"), within_memory():
        raise error
    with pytest.raises(RuntimeError, match="odd"), within_memory():
        raise RuntimeError("odd")


def test_a_site_answers_a_round_that_there_is_no_memory_for(monkeypatch):
    monkeypatch.setattr(Round, "difference", lambda *_: (_ for _ in ()).throw(MemoryError))
    federation = Federation(sites(), terms(rounds=1))
    with pytest.raises(InputError, match="not enough memory"):
        federation.fit()
