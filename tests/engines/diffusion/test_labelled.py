"""A label is given, or found on the way; the other codes are noised as ever."""

import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.labelled import LabelledCodes  # noqa: E402
from understudy.engines.diffusion.multinomial import Multinomial  # noqa: E402
from understudy.engines.diffusion.schedule import cosine  # noqa: E402
from understudy.engines.nets.segments import Segments  # noqa: E402

SHARES = torch.tensor([0.7, 0.2, 0.1])


def walk(label=(3,), *, uncovers=False):
    codes = Multinomial(Segments([4, 2]), cosine(10))
    return LabelledCodes(codes, Segments(label), SHARES.log()[: sum(label)], uncovers)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_labels_are_as_common_at_the_start_as_they_are():
    drawn = walk().start(20_000, seeded())
    assert drawn.shape == (20_000, 3)
    # Each share is within 5 sd but for one seed in 10^6.
    found = torch.bincount(drawn[:, 2], minlength=3) / 20_000
    assert ((found - SHARES).abs() < 5 * (SHARES * (1 - SHARES) / 20_000).sqrt()).all()


def test_a_label_is_never_noised():
    codes = torch.tensor([[3, 1, 2]]).repeat(500, 1)
    noised = walk().noised(codes, torch.tensor(9), seeded())
    assert (noised[:, 2] == 2).all() and (noised[:, :2] != codes[:, :2]).any()
    stepped = walk().step(noised, torch.zeros(500, 6), torch.tensor(9), torch.tensor(4), seeded())
    assert (stepped[:, 2] == 2).all()


def test_a_hidden_label_is_uncovered_by_its_logits_in_the_last_step():
    hidden = walk(uncovers=True)
    codes = hidden.start(50, seeded())
    assert (codes[:, 2] == 3).all()
    codes[:10, 2] = 0  # a label that is known
    logits = torch.cat([torch.zeros(6), torch.tensor([-50.0, 50.0, -50.0])]).expand(50, 9)
    later = hidden.step(codes, logits, torch.tensor(9), torch.tensor(0), seeded())
    assert torch.equal(later[:, 2], codes[:, 2])
    done = hidden.step(later, logits, torch.tensor(0), torch.tensor(-1), seeded())
    assert done[:, 2].tolist() == [0] * 10 + [1] * 40


def test_there_may_be_no_label():
    bare = walk(())
    codes = bare.start(5, seeded())
    assert codes.shape == (5, 2)
    assert bare.step(codes, torch.zeros(5, 6), torch.tensor(9), torch.tensor(4), seeded()).shape == (5, 2)
