import pytest
import torch

from understudy.engines.dpsgd.layers import Lookup, Outer, Shift, Signal, Written


def truth(each, factor, good):
    kept = [f * g if ok else torch.zeros_like(g) for f, g, ok in zip(factor, each, good, strict=True)]
    return [g.square().sum() for g in each], torch.stack(kept).sum(0)


def assert_is(part, each, factor, good):
    squares, total = truth(each, factor, good)
    torch.testing.assert_close(part.squares(), torch.stack(squares))
    room = torch.zeros_like(total)
    part.add_to(room, factor, good)
    torch.testing.assert_close(room, total)


FACTOR, GOOD = torch.tensor([0.5, 1.0, 0.2, 2.0]), torch.tensor([True, True, False, True])


@pytest.mark.parametrize("shapes", [[()], [(3,)], [(2, 3)], [(), ()], [(2,), (5,)]])
def test_a_weight_matrix_is_the_sum_of_outer_products_over_tokens_and_calls(shapes):
    calls = [(torch.randn(4, *shape, 5), torch.randn(4, *shape, 3)) for shape in shapes]
    flat = [(a.reshape(4, -1, 5), d.reshape(4, -1, 3)) for a, d in calls]
    signal = Signal([d for _, d in calls])
    weights = sum(torch.einsum("bti,bto->boi", a, d) for a, d in flat)
    assert_is(Outer([a for a, _ in calls], signal), list(weights), FACTOR, GOOD)
    assert_is(Shift(signal), list(sum(d.sum(1) for _, d in flat)), FACTOR, GOOD)


def test_a_signal_is_scaled_anew_when_the_factors_change():
    signal = Signal([torch.ones(4, 2)])
    first, second = signal.scaled(FACTOR, GOOD), signal.scaled(2 * FACTOR, GOOD)
    torch.testing.assert_close(2 * first, second)
    assert signal.scaled(FACTOR, GOOD) is not second


def test_a_record_that_is_not_good_is_left_out_even_if_it_is_not_finite():
    a, d = torch.ones(4, 2), torch.ones(4, 3)
    a[2], d[2] = torch.nan, torch.inf
    signal = Signal([d])
    weight, bias = torch.zeros(3, 2), torch.zeros(3)
    Outer([a], signal).add_to(weight, FACTOR, GOOD)
    Shift(signal).add_to(bias, FACTOR, GOOD)
    assert torch.equal(weight, torch.full((3, 2), 3.5)) and torch.equal(bias, torch.full((3,), 3.5))


def test_gradients_written_down_are_summed_over_calls():
    first, second = torch.randn(4, 2, 3), torch.randn(4, 2, 3)
    assert_is(Written([first, second]), list(first + second), FACTOR, GOOD)


@pytest.mark.parametrize("padding", [None, 1])
def test_an_embedding_adds_up_equal_levels_before_the_norm(padding):
    index, d = torch.tensor([[0, 0, 1], [1, 1, 1], [2, 0, 2], [3, 3, 0]]), torch.randn(4, 3, 5)
    each = torch.zeros(4, 4, 5)
    for record in range(4):
        for token in range(3):
            if int(index[record, token]) != padding:
                each[record, index[record, token]] += d[record, token]
    assert_is(Lookup([(index, d)], padding), list(each), FACTOR, GOOD)
    one = Lookup([(index[:, 0], d[:, 0])], None)
    torch.testing.assert_close(one.squares(), d[:, 0].square().sum(1))


@pytest.mark.parametrize("left", [1e-6, 1e-7])
def test_tokens_that_nearly_cancel_do_not_lose_their_norm(left):
    """Two large outer products of which little is left: products in float32 would miss it."""
    a, d = torch.full((1, 2, 300), 1e3), torch.ones(1, 2, 300)
    d[0, 1] = -1 - left
    true = float(torch.einsum("bti,bto->boi", a.double(), d.double()).square().sum())
    found = float(Outer([a], Signal([d])).squares())
    assert true > 0 and 0.999 * true <= found


def test_what_underflow_swallows_is_counted_from_above():
    tiny = torch.full((1, 4), 1e-30)
    assert float(Written([tiny]).squares()) >= float(tiny.double().square().sum())
