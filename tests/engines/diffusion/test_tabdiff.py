"""TabDiff's engine: the network's two ways in, its loss, and a small mixture that comes back."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tabdiff import STAGE, Denoiser, JointLoss, TabDiffGenerator, TabDiffLearner
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

FIELDS = Fields(numbers=(1,), codes=(0, 2), sizes=(2, 3))


def noise(seed=0):
    return torch.Generator().manual_seed(seed)


def stirred(fields=FIELDS):
    network = Denoiser(fields, 16, 1, noise())
    with torch.no_grad():
        network.network.leave.weight.normal_(generator=noise(1))
    return network


def mixture(rows, rng):
    """Two groups: code 0 with numbers about -1.2 and last code 0 or 1, code 1 with about 1.2 and code 2."""
    group = rng.random(rows) < 0.3
    last = np.where(group, 2, rng.integers(0, 2, rows))
    number = np.where(group, 1.2, -1.2) + 0.2 * rng.standard_normal(rows)
    return np.stack([group, number, last], axis=1).astype(np.float32)


@pytest.fixture(scope="module")
def learned():
    matrix = mixture(4_000, np.random.default_rng(0))
    settings = Settings(steps=600, batch=256, lr=5e-3, schedule="cosine", ema=0.99)
    learner = TabDiffLearner(width=48, depth=1, sampling_steps=24)
    return learner.learn(
        FIELDS.seen(matrix), OpenFit(matrix, {STAGE: settings}, seed=1, device="cpu"), seed=1
    )


def test_a_small_mixture_comes_back(learned):
    drawn = learned.draw(4_000, np.random.default_rng(2))
    group = drawn[:, 0] == 1
    assert abs(group.mean() - 0.3) < 0.04
    assert (drawn[group, 2] == 2).mean() > 0.97
    assert (drawn[~group, 2] < 2).mean() > 0.97
    assert abs(drawn[group, 1].mean() - 1.2) < 0.1
    assert abs(drawn[~group, 1].mean() + 1.2) < 0.1
    assert drawn[group, 1].std() < 0.4


def test_known_cells_come_back_and_the_others_fit_them(learned):
    values = np.zeros((600, 3), dtype=np.float32)
    values[:, 0], values[:, 1] = 1, np.where(np.arange(600) < 300, 1.2, -1.2)
    code, number = np.zeros_like(values, dtype=bool), np.zeros_like(values, dtype=bool)
    code[:, 0], number[:, 1] = True, True
    by_code = learned.draw(600, np.random.default_rng(3), Known(values, code))
    assert (by_code[:, 0] == 1).all()
    assert (by_code[:, 2] == 2).mean() > 0.95
    by_number = learned.draw(600, np.random.default_rng(4), Known(values, number))
    assert np.array_equal(by_number[:, 1], values[:, 1])
    assert (by_number[:300, 0] == 1).mean() > 0.95
    assert (by_number[300:, 0] == 0).mean() > 0.95


def test_what_is_written_down_draws_the_same(learned):
    tensors, facts = learned.state()
    again = TabDiffGenerator.restore(tensors, facts)
    first, second = (each.draw(50, np.random.default_rng(5)) for each in (learned, again))
    assert np.array_equal(first, second)


def test_no_rows_are_drawn_where_none_are_wanted(learned):
    assert learned.draw(0, np.random.default_rng(0)).shape == (0, 3)


def test_both_ways_into_the_network_are_one():
    network, t = stirred(), torch.rand(40, generator=noise(2))
    x, codes = (
        torch.randn(40, 1, generator=noise(3)),
        network.masked.noised(torch.ones(40, 2).long(), t, noise(4)),
    )
    with_gradients = network(x, codes, t)
    with torch.no_grad():
        without = network(x, codes, t)
    for first, second in zip(with_gradients, without, strict=True):
        assert torch.allclose(first, second, atol=1e-5)


def test_the_first_guess_of_a_code_is_its_share():
    matrix = mixture(1_000, np.random.default_rng(0))
    network = Denoiser(FIELDS.seen(matrix), 16, 1, noise())
    _, logits = network(torch.zeros(1, 1), torch.tensor([[2, 3]]), torch.ones(1))
    shares = network.masked.segments.log_softmax(logits).exp()[0, :2]
    assert torch.allclose(shares[1], torch.tensor(matrix[:, 0].mean()), atol=2e-3)


def test_the_loss_is_that_of_its_parts():
    network, rows = stirred(), torch.from_numpy(mixture(64, np.random.default_rng(1)))
    found = JointLoss(numbers_weight=0.5, draws=1)(network, rows, noise(7))
    numbers, codes = network.rows.split(rows)
    again = noise(7)
    t = torch.rand(64, 1, generator=again)
    hidden = network.masked.noised(codes[:, None], t, again)[:, 0]
    some, each = torch.rand(64, 1, 2, 1, generator=again), torch.rand(64, 1, 1, generator=again)
    known = ((some[..., 0, :] < 0.25) & (each < some[..., 1, :]))[:, 0]
    x = torch.where(known, numbers, network.edm.noised(numbers[:, None], t, again)[:, 0])
    guess, logits = network(x, hidden, t[:, 0], known)
    assert torch.equal(guess[known], numbers[known])
    sigma = network.edm.sigma(t[:, 0])
    by_hand = 0.5 * ((sigma**2 + 1) / sigma**2)[:, None] * (guess - numbers) ** 2
    logs = network.masked.segments.log_softmax(logits)
    for place, start in enumerate((0, 2)):
        missed = -logs.gather(1, start + codes[:, place : place + 1])
        by_hand = by_hand + torch.where(hidden[:, place : place + 1] == (2, 3)[place], missed, 0.0)
    assert torch.allclose(found, by_hand[:, 0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("draws", [1, 4])
def test_each_record_has_one_loss(draws):
    rows = torch.from_numpy(mixture(7, np.random.default_rng(1)))
    assert JointLoss(0.3, draws)(stirred(), rows, noise()).shape == (7,)


@pytest.mark.parametrize(
    "fields",
    [Fields((0, 1), (), ()), Fields((), (0, 1), (3, 2)), Fields((), (0,), (1,)), Fields((0,), (), ())],
)
def test_tables_of_one_kind_and_of_one_column_can_be_learned_and_drawn(fields):
    matrix = np.zeros((40, fields.width), dtype=np.float32)
    settings = {STAGE: Settings(steps=3, batch=8)}
    learner = TabDiffLearner(width=8, depth=1, sampling_steps=3)
    drawn = learner.learn(fields.seen(matrix), OpenFit(matrix, settings, seed=0, device="cpu"), 0).draw(
        9, np.random.default_rng(0)
    )
    assert drawn.shape == (9, fields.width)
    assert all((drawn[:, at] < size).all() for at, size in zip(fields.codes, fields.sizes, strict=True))


def test_numbers_alone_are_those_beside_codes():
    network, t = stirred(), torch.rand(20, generator=noise(2))
    x, codes = torch.randn(20, 1, generator=noise(3)), torch.ones(20, 2).long()
    with torch.no_grad():
        both, alone = network(x, codes, t), network.numbers_alone(x, codes, t)
    assert torch.allclose(both[0], alone[0], atol=1e-6)
    assert alone[1].shape == (20, 0)
