import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings, strategies as st  # noqa: E402 - torch may not be there

from understudy.engines.nets.segments import Segments  # noqa: E402
from understudy.engines.nets.some_codes import draw_some  # noqa: E402


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_each_cell_is_drawn_by_the_logits_of_its_own_column_and_row():
    segments, rows = Segments([3, 2, 4]), 40_000
    logits = torch.randn(2, segments.total, generator=seeded(1)).repeat(rows, 1)  # two kinds of rows
    wanted = torch.tensor([[True, False, True], [False, True, True]]).repeat(rows, 1)
    codes = torch.zeros(2 * rows, 3, dtype=torch.int64).masked_scatter(
        wanted, draw_some(segments, logits, wanted, seeded())
    )
    expected = segments.log_softmax(logits[:2]).exp()
    for kind in range(2):
        found = segments.onehot(codes[kind::2]).mean(0)
        asked = segments.spread(wanted[kind].float()) > 0
        spread = (expected[kind] * (1 - expected[kind]) / rows).sqrt()
        # 5 deviations in each of 11 shares: a false alarm in 1 of 150,000 seeds, and the seed is fixed.
        assert ((found - expected[kind]).abs()[asked] < 5 * spread[asked]).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), max_size=5), st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_a_level_that_is_certain_is_drawn_wherever_it_is_asked_for(sizes, rows, seed):
    segments = Segments(sizes)
    codes = torch.rand(rows, len(sizes), generator=seeded(seed)).mul(segments.counts).long()
    wanted = torch.rand(rows, len(sizes), generator=seeded(seed + 1)) < 0.5
    found = draw_some(segments, 200 * segments.onehot(codes), wanted, seeded(seed))
    assert torch.equal(found, codes[wanted])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_a_cell_is_drawn_does_not_depend_on_which_others_are_wanted(seed):
    segments, draw = Segments([5, 3, 40]), seeded(seed)
    logits, every = torch.randn(20, 48, generator=draw), torch.ones(20, 3, dtype=torch.bool)
    some = torch.rand(20, 3, generator=draw) < 0.4
    all_of_them = draw_some(segments, logits, every, seeded(seed)).view(20, 3)
    assert torch.equal(draw_some(segments, logits, some, seeded(seed)), all_of_them[some])


def test_a_level_that_cannot_be_is_not_drawn_and_no_number_spoils_its_own_cell_alone():
    segments, wanted = Segments([2, 3]), torch.ones(2_000, 2, dtype=torch.bool)
    logits = torch.tensor([torch.nan, 0.0, -torch.inf, 0.0, -torch.inf]).repeat(2_000, 1)
    drawn = draw_some(segments, logits, wanted, seeded()).view(-1, 2)
    assert set(drawn[:, 0].tolist()) <= {0, 1} and set(drawn[:, 1].tolist()) == {1}


def test_a_seed_decides_what_is_drawn():
    segments, wanted = Segments([5, 5]), torch.ones(50, 2, dtype=torch.bool)
    drawn = [draw_some(segments, torch.zeros(50, 10), wanted, seeded(seed)) for seed in (0, 0, 1)]
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])
