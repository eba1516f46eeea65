import pytest
import torch

from understudy.engines.dpsgd.layers import Lookup, Outer, Scratch, Shift, Signal, Written


def truth(each, factor, bad):
    kept = [torch.zeros_like(g) if odd else f * g for f, g, odd in zip(factor, each, bad, strict=True)]
    return [g.norm() for g in each], torch.stack(kept).sum(0)


def assert_is(part, each, factor, bad):
    norms, total = truth(each, factor, bad)
    torch.testing.assert_close(part.norms(), torch.stack(norms))
    room = torch.ones_like(total)
    part.add_to(room, factor, bad)
    torch.testing.assert_close(room, total + 1)
    whole = truth(each, factor, torch.zeros_like(bad))[1]
    part.add_to(room, factor, None)
    torch.testing.assert_close(room, total + 1 + whole)
    part.add_to(room.fill_(torch.nan), factor, None, fresh=True)
    torch.testing.assert_close(room, whole)


FACTOR, BAD = torch.tensor([0.5, 1.0, 0.2, 2.0]), torch.tensor([False, False, True, False])


@pytest.mark.parametrize("shapes", [[()], [(3,)], [(2, 3)], [(), ()], [(2,), (5,)]])
def test_a_weight_matrix_is_the_sum_of_outer_products_over_tokens_and_calls(shapes):
    calls = [(torch.randn(4, *shape, 5), torch.randn(4, *shape, 3)) for shape in shapes]
    flat = [(a.reshape(4, -1, 5), d.reshape(4, -1, 3)) for a, d in calls]
    signal = Signal([d for _, d in calls], Scratch())
    weights = sum(torch.einsum("bti,bto->boi", a, d) for a, d in flat)
    assert_is(Outer([a for a, _ in calls], signal), list(weights), FACTOR, BAD)
    assert_is(Shift(signal), list(sum(d.sum(1) for _, d in flat)), FACTOR, BAD)


def test_a_signal_is_scaled_anew_when_the_factors_change():
    signal = Signal([torch.ones(4, 2)], Scratch())
    first = signal.scaled(FACTOR, BAD).clone()
    torch.testing.assert_close(2 * first, signal.scaled(2 * FACTOR, BAD))
    torch.testing.assert_close(signal.scaled(FACTOR, BAD), first)


def test_one_room_serves_all_layers_in_any_order():
    """Neither product may be taken for the other's, also where shapes, factors or kinds of floats change."""
    scratch, wide = Scratch(), torch.randn(4, 5)
    signals = [Signal([wide], scratch), Signal([torch.randn(4, 5)], scratch), Signal([wide[:, :2]], scratch)]
    signals.append(Signal([wide.double()], scratch))
    for first in signals:
        for second in signals:
            for signal in (first, second, first):
                for factor, bad in ((FACTOR, BAD), (3 * FACTOR, BAD), (FACTOR, None)):
                    d = signal.d.to(torch.float64)
                    total = torch.zeros(d.shape[1], dtype=signal.d.dtype)
                    Shift(signal).add_to(total, factor.to(signal.d.dtype), bad)
                    expected = truth(d, factor, torch.zeros(4, dtype=torch.bool) if bad is None else bad)[1]
                    torch.testing.assert_close(total, expected.to(signal.d.dtype))


def test_a_record_that_is_not_good_is_left_out_even_if_it_is_not_finite():
    a, d = torch.ones(4, 2), torch.ones(4, 3)
    a[2], d[2] = torch.nan, torch.inf
    signal = Signal([d], Scratch())
    weight, bias = torch.zeros(3, 2), torch.zeros(3)
    Outer([a], signal).add_to(weight, FACTOR, BAD)
    Shift(signal).add_to(bias, FACTOR, BAD)
    assert torch.equal(weight, torch.full((3, 2), 3.5)) and torch.equal(bias, torch.full((3,), 3.5))


def test_gradients_written_down_are_summed_over_calls():
    first, second = torch.randn(4, 2, 3), torch.randn(4, 2, 3)
    assert_is(Written([first, second]), list(first + second), FACTOR, BAD)


@pytest.mark.parametrize("padding", [None, 1])
def test_an_embedding_adds_up_equal_levels_before_the_norm(padding):
    index, d = torch.tensor([[0, 0, 1], [1, 1, 1], [2, 0, 2], [3, 3, 0]]), torch.randn(4, 3, 5)
    each = torch.zeros(4, 4, 5)
    for record in range(4):
        for token in range(3):
            if int(index[record, token]) != padding:
                each[record, index[record, token]] += d[record, token]
    assert_is(Lookup([(index, d)], padding), list(each), FACTOR, BAD)
    one = Lookup([(index[:, 0], d[:, 0])], None)
    torch.testing.assert_close(one.norms(), d[:, 0].norm(dim=1))


@pytest.mark.parametrize("left", [1e-6, 1e-7])
def test_tokens_that_nearly_cancel_do_not_lose_their_norm(left):
    """Two large outer products of which little is left: products in float32 would miss it."""
    a, d = torch.full((1, 2, 300), 1e3), torch.ones(1, 2, 300)
    d[0, 1] = -1 - left
    true = float(torch.einsum("bti,bto->boi", a.double(), d.double()).norm())
    found = float(Outer([a], Signal([d], Scratch())).norms())
    assert true > 0 and 0.999 * true <= found


def test_what_underflow_swallows_is_counted_from_above():
    tiny = torch.full((1, 4), 1e-30)
    assert float(Written([tiny]).norms()) >= float(tiny.double().norm())
