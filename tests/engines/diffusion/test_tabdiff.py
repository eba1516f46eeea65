"""TabDiff's engine: the network's two ways in, its first guess, and its loss."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tabdiff import Denoiser, JointLoss, TabDiffGenerator, TabDiffLearner
from understudy.engines.dpsgd.tape import Tape
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.errors import ParameterError

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


@pytest.mark.parametrize(("draws", "together"), [(1, 1), (4, 1), (1, 4), (4, 4)])
@pytest.mark.parametrize("records", [0, 7, 8])
def test_each_record_has_one_loss(draws, together, records):
    rows = torch.from_numpy(mixture(records, np.random.default_rng(1)))
    assert JointLoss(0.3, draws, together)(stirred(), rows, noise()).shape == (records,)


@pytest.mark.parametrize("fields", [Fields(numbers=(0, 1), codes=(), sizes=()), Fields((), (0, 1), (2, 3))])
def test_records_share_times_in_tables_without_numbers_or_codes(fields):
    rows = torch.zeros(8, 2)
    assert JointLoss(0.3, 1, 4)(stirred(fields), rows, noise()).shape == (8,)


def test_records_with_one_time_have_the_losses_of_records_with_their_own_on_average():
    four = torch.tensor([[0.0, -1.2, 1.0], [0.0, 4.0, 1.0], [1.0, 1.2, 2.0], [1.0, -4.0, 0.0]])
    network, rows = stirred(), four.repeat(10_000, 1)
    with torch.no_grad():
        alone, shared = (
            JointLoss(0.3, 1, together)(network, rows, noise(5)).view(-1, 4) for together in (1, 4)
        )
    # Each record by itself: losses must not be handed to a neighbour. Four comparisons at 4.5 deviations.
    error = ((alone.var(0) + shared.var(0)) / len(alone)).sqrt()
    assert ((alone.mean(0) - shared.mean(0)).abs() < 4.5 * error).all()
    assert alone.mean(0).std() > 5 * error.max()


def test_times_that_records_share_are_spread_evenly():
    seen = []

    class Told(Denoiser):
        def forward(self, numbers, codes, t, known=None, *, alone=False):
            seen.append(t)
            return Denoiser.forward(self, numbers, codes, t, known, alone=alone)

    network = stirred()
    network.__class__ = Told
    JointLoss(0.3, 1, 4)(network, torch.from_numpy(mixture(64, np.random.default_rng(1))), noise())
    times = seen[0]
    assert times.shape == (16, 4) and (times == times[:, :1]).all()
    assert torch.allclose(times[:, 0].sort().values.diff(), torch.tensor(1 / 16), atol=1e-6)


def test_numbers_alone_are_those_beside_codes():
    network, t = stirred(), torch.rand(20, generator=noise(2))
    x, codes = torch.randn(20, 1, generator=noise(3)), torch.ones(20, 2).long()
    with torch.no_grad():
        both, alone = network(x, codes, t), network.numbers_alone(x, codes, t)
    assert torch.allclose(both[0], alone[0], atol=1e-6)
    assert alone[1].shape == (20, 0)


def test_a_cell_that_becomes_unknown_changes_no_other_row():
    generator = TabDiffGenerator(stirred(), TabDiffLearner(width=16, depth=1, sampling_steps=6))
    values = mixture(40, np.random.default_rng(2))
    mask = np.tile(np.array([True, True, False]), (40, 1))
    known = generator.draw(40, np.random.default_rng(3), Known(values, mask))
    mask[0, 0] = False
    fewer = generator.draw(40, np.random.default_rng(3), Known(values, mask))
    assert np.array_equal(known[1:], fewer[1:]) and len(np.unique(known[:, 2])) > 1


def test_what_a_model_was_trained_with_is_not_saved_with_it():
    facts = TabDiffGenerator(stirred(), TabDiffLearner(width=16, depth=1)).state()[1]
    assert "together" not in facts["settings"]


def test_gradients_per_record_are_refused_where_records_share_a_time():
    network, rows = stirred(), torch.from_numpy(mixture(16, np.random.default_rng(1)))
    tape, weight = Tape(network), torch.ones(16)
    assert tape.run(lambda: JointLoss(0.3, 1, 1)(network, rows, noise()), weight)
    with pytest.raises(ParameterError, match="first axis should be the 16 records"):
        tape.run(lambda: JointLoss(0.3, 1, 4)(network, rows, noise()), weight)
