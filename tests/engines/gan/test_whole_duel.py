"""The game written out: it teaches what the game does, whatever its rules, on one core or two, to the bit."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Duel, Networks, Rules
from understudy.engines.gan.gan import GanLearner
from understudy.engines.gan.networks import Size
from understudy.engines.gan.whole_duel import WholeDuel
from understudy.engines.training.fit import Settings
from understudy.engines.training.steps import OpenSteps

MIXED = Fields((1,), (0, 2), (3, 2), (np.array([0.5, 0.4, 0.1]), np.array([0.7, 0.3])))
PAPER = Rules(size=Size(4, 8, 2, "batch", pac=2, dropout=0.5))


@pytest.fixture(autouse=True)
def doubles():
    """Let all numbers be doubles, so that what differs by more than rounding is seen."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def networks(rules=PAPER, fields=MIXED):
    return Networks(fields, rules, 100.0, seeded()).train()


def some_rows(fields=MIXED, rows=20):
    rng = np.random.default_rng(0)
    found = rng.normal(size=(rows, fields.width))
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        found[:, at] = rng.integers(0, size, rows)
    return torch.from_numpy(found)


def batch_of(both, count=20):
    return Duel(both, count).picks(some_rows(both.fields))(count, seeded(1))


def by_small_functions(both, rows):
    loss = Duel(both, len(rows)).duel(both, rows, seeded(2)).mean()
    return torch.autograd.grad(loss, list(both.parameters()), allow_unused=True)


def written_out(both, rows):
    WholeDuel().slopes(both, len(rows), short=False).put(rows, seeded(2))
    return [parameter.grad for parameter in both.parameters()]


def assert_same(rules=PAPER, fields=MIXED, count=20):
    left, right = networks(rules, fields), networks(rules, fields)
    rows = batch_of(left, count)
    names = [name for name, _ in left.named_parameters()]
    wanted, found = by_small_functions(left, rows), written_out(right, rows)
    for name, a, b in zip(names, wanted, found, strict=True):
        assert torch.allclose(torch.zeros_like(b) if a is None else a, b, rtol=1e-7, atol=1e-11), name
    for a, b in zip(left.buffers(), right.buffers(), strict=True):
        assert torch.allclose(a, b), "what is usual in batches is kept alike"


@pytest.mark.parametrize("norm", ["batch", "layer", "none"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("pac", [1, 2])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_what_is_taught_is_what_follows_from_one_small_function_after_the_other(norm, depth, pac, dropout):
    assert_same(replace(PAPER, size=Size(4, 8, depth, norm, pac, dropout)))


@pytest.mark.parametrize(
    "changed",
    [
        {"loss": "logistic"},
        {"bounded": False},
        {"penalty": 3.0, "temperature": 1.5},
        {"moments": 30.0},
        {"apart": 0.5},
        {"apart": 0.5, "given": True},
        {"asks": False},
    ],
)
def test_every_rule_of_the_game_is_taught(changed):
    assert_same(replace(PAPER, **changed))


@pytest.mark.parametrize(
    "fields",
    [
        Fields((0, 1), (), ()),
        Fields((), (0, 1), (4, 1)),
        replace(MIXED, flags=(2,)),
    ],
)
def test_rows_of_numbers_or_codes_alone_and_with_gaps_teach_too(fields):
    assert_same(fields=fields)


@pytest.mark.parametrize("count", [2, 6])
def test_few_packs_of_which_no_halves_or_unequal_ones_can_be_made_teach_too(count):
    assert_same(count=count)


@pytest.mark.parametrize("far", [200.0, -200.0, 2_000.0])
@pytest.mark.parametrize("temperature", [0.2, 0.001])
def test_levels_that_are_all_but_sure_or_all_but_impossible_are_no_trouble(far, temperature):
    rules, wanted, found = replace(PAPER, temperature=temperature), None, None
    for written in (False, True):
        both = networks(rules)
        with torch.no_grad():
            both.generator.leave.linear.bias.add_(far * torch.tensor([0.0, 1.0, 0.9, 1.0, 0.0, 1.0]))
        rows = batch_of(both)
        if written:
            found = written_out(both, rows)
        else:
            wanted = by_small_functions(both, rows)
    for a, b in zip(wanted, found, strict=True):
        assert torch.allclose(a, b, rtol=1e-6, atol=1e-8 * float(a.abs().max()) + 1e-11)


def test_a_second_batch_is_not_disturbed_by_the_first():
    both = networks()
    rows, slopes = batch_of(both), WholeDuel().slopes(both, 20, short=False)
    slopes.put(rows.flip(0), seeded(5))
    slopes.begin()
    slopes.put(rows, seeded(2))
    found = [parameter.grad.clone() for parameter in both.parameters()]
    for a, b in zip(by_small_functions(networks(), rows), found, strict=True):
        assert torch.allclose(a, b, rtol=1e-7, atol=1e-11)


def test_one_core_and_two_teach_the_same_to_the_bit(cores):
    found = []
    for threads in (1, 2):
        cores(threads)
        both, drawn = networks(), seeded()
        rows, slopes = batch_of(both), WholeDuel().slopes(both, 20, short=False)
        with slopes.computing():
            for seed in (5, 6):  # two blocks: noise that was drawn ahead is not that of the next
                slopes.begin()
                drawn.manual_seed(seed)
                for _ in range(3):
                    slopes.put(rows, drawn)
        found.append([parameter.grad.clone() for parameter in both.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_what_is_learned_is_one_vector_that_all_parameters_are_pieces_of():
    both = networks()
    before = [parameter.detach().clone() for parameter in both.parameters()]
    slopes = WholeDuel().slopes(both, 20, short=False)
    slopes.put(batch_of(both), seeded(2))
    (whole,) = slopes.learned
    grads = [parameter.grad.clone() for parameter in both.parameters()]
    with torch.no_grad():
        whole.sub_(whole.grad)
    for old, grad, parameter in zip(before, grads, both.parameters(), strict=True):
        assert torch.equal(parameter, old - grad)


def trained(written, steps, norm):
    both = networks(replace(PAPER, size=replace(PAPER.size, norm=norm)))
    game, rows = Duel(both, 20), some_rows()
    settings = Settings(steps, 20, 1e-3, optimizer="adam", betas=(0.5, 0.9), weight_decay=1e-6)
    loss = WholeDuel() if written else game.duel
    taken = OpenSteps(both, loss, rows, settings, (0, "a"), picks=game.picks(rows))
    taken._picking = torch.Generator()  # noise that is drawn ahead leaves picks alone: so do both here
    with taken.computing():
        for step in range(steps):
            if step % 5 == 0:
                taken.begin(step // 5)
            taken.take(print)
    return torch.cat([each.double().flatten() for each in both.state_dict().values()]), taken


@pytest.mark.parametrize("norm", ["layer", "none"])
def test_a_training_learns_what_it_learns_by_automatic_differentiation(norm):
    (wanted, _), (found, _) = (trained(written, 30, norm) for written in (False, True))
    assert torch.allclose(wanted, found, rtol=1e-6, atol=1e-9)


def test_the_loss_that_is_shown_leaves_what_is_usual_in_batches_alone():
    _, taken = trained(True, 2, "batch")
    before = [buffer.clone() for buffer in taken._model.buffers()]
    assert np.isfinite(taken.loss())
    assert all(torch.equal(a, b) for a, b in zip(before, taken._model.buffers(), strict=True))
    assert taken._model.training


def test_a_learner_takes_it_on_a_processor_where_there_is_a_penalty():
    def loss_of(penalty):
        heard = []
        fit = SimpleNamespace(private=False, rows=20.0, device=torch.device("cpu"))
        fit.play = lambda _, game: heard.append(game.loss)
        GanLearner(replace(PAPER, penalty=penalty)).learn(MIXED, fit, 0)
        return heard[0]

    assert loss_of(10.0) == WholeDuel()
    assert loss_of(0.0).__name__ == "duel"
