import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings, strategies as st  # noqa: E402

from understudy.engines.nets.segments import Segments  # noqa: E402

ADULT = (9, 16, 7, 15, 6, 5, 2, 42)
shapes = st.lists(st.integers(1, 9), max_size=6)


def flat(sizes, rows=4, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(rows, sum(sizes), generator=generator, dtype=torch.float64)


def codes(sizes, rows=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(rows, len(sizes), generator=generator) * torch.tensor(sizes)).long()


def columns(x, sizes):
    return x.split(list(sizes), 1) if sizes else ()


def joined(parts, rows=4):
    return torch.cat([torch.zeros(rows, 0, dtype=torch.float64), *parts], 1)


def placed(drawn, hot):
    return [torch.where(one > 0, 2.0 * drawn[:, [place]], -1.0) for place, one in enumerate(hot)]


@settings(max_examples=40, deadline=None)
@given(shapes, st.integers(0, 9))
def test_every_function_is_what_a_loop_over_the_columns_computes(sizes, seed):
    segments, x, drawn = Segments(sizes).double(), flat(sizes, seed=seed), codes(sizes, seed=seed)
    parts = columns(x, sizes)
    assert torch.allclose(segments.log_softmax(x), joined([part.log_softmax(1) for part in parts]))
    assert torch.allclose(segments.sums(x), joined([part.sum(1, keepdim=True) for part in parts]))
    assert torch.equal(segments.argmax(x), joined([part.argmax(1, True) for part in parts]).long())
    taken = [part.gather(1, drawn[:, [place]]) for place, part in enumerate(parts)]
    assert torch.equal(segments.at(x, drawn), joined(taken))
    hot = [torch.nn.functional.one_hot(drawn[:, place], size) for place, size in enumerate(sizes)]
    assert torch.equal(segments.onehot(drawn), joined(hot))
    minus = torch.full((4, 1), -1.0, dtype=torch.float64)
    assert torch.equal(segments.place(drawn, 2 * drawn.double(), minus), joined(placed(drawn, hot)))
    values = x.new_tensor(range(len(sizes))).expand(4, -1)
    wide = [values[:, [place]].expand(4, size) for place, size in enumerate(sizes)]
    assert torch.equal(segments.spread(values), joined(wide))


def test_a_table_without_codes_is_served_too():
    segments, none = Segments([]), torch.zeros(3, 0)
    generator = torch.Generator().manual_seed(0)
    assert segments.onehot(none.long()).shape == segments.log_softmax(none).shape == (3, 0)
    assert segments.sums(none).shape == segments.spread(none).shape == (3, 0)
    assert segments.draw(none, generator).shape == segments.at(none, none.long()).shape == (3, 0)


def test_columns_of_very_different_scales_do_not_spoil_each_other():
    segments = Segments([2, 3, 2])
    logits = torch.tensor([[1e4, 1e4 - 1, 0.0, 1.0, 2.0, -1e8, -1e8]])
    expected = [logits[:, :2], logits[:, 2:5], logits[:, 5:]]
    assert torch.allclose(
        segments.log_softmax(logits), torch.cat([part.log_softmax(1) for part in expected], 1)
    )


def test_large_differences_within_a_column_stay_finite():
    out = Segments([3]).log_softmax(torch.tensor([[0.0, -1e5, 3e4]]))
    assert torch.equal(out, torch.tensor([[-3e4, -1.3e5, 0.0]]))


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_the_derivatives_are_those_of_finite_differences(scale):
    sizes = [3, 1, 4]
    segments, x = Segments(sizes).double(), flat(sizes, scale=scale).requires_grad_()
    values = flat([1, 1, 1]).requires_grad_()
    assert torch.autograd.gradcheck(segments.log_softmax, x)
    assert torch.autograd.gradgradcheck(segments.log_softmax, x)
    assert torch.autograd.gradcheck(segments.sums, x)
    assert torch.autograd.gradcheck(segments.spread, values)
    assert torch.autograd.gradcheck(lambda flat: segments.at(flat, codes(sizes)), x)


def test_functions_of_stacked_models_agree_with_one_model_at_a_time():
    segments, x, drawn = Segments(ADULT).double(), flat(ADULT, 6).reshape(3, 2, -1), codes(ADULT, 2)

    def loss(flat):
        told = segments.cross_entropy(flat, drawn).sum()
        return told + (segments.log_softmax(flat) * segments.spread(segments.sums(flat))).pow(2).sum()

    stacked = torch.func.vmap(torch.func.grad(loss))(x)
    assert torch.allclose(stacked, torch.stack([torch.func.grad(loss)(each) for each in x]))
    one_hots = torch.func.vmap(lambda flat: segments.onehot(segments.argmax(flat)))(x)
    assert torch.equal(one_hots, segments.onehot(segments.argmax(x)))


def test_the_first_of_equals_is_the_largest():
    assert Segments([3, 2]).argmax(torch.zeros(1, 5)).tolist() == [[0, 0]]


def test_codes_are_drawn_by_the_softmax_of_their_column():
    # Each of 7 counts is binomial: one of them is 5 sd off in less than one seed of 200,000.
    segments, rows = Segments([4, 3]), 20_000
    logits = torch.tensor([0.0, 1.0, -2.0, 0.5, 100.0, 101.0, 99.0])
    drawn = segments.draw(logits.expand(rows, -1), torch.Generator().manual_seed(0))
    share, p = segments.onehot(drawn).mean(0), segments.log_softmax(logits[None])[0].exp()
    assert ((share - p).abs() < 5 * (p * (1 - p) / rows).sqrt()).all()


def test_what_is_impossible_is_never_drawn():
    logits = torch.tensor([[0.0, -torch.inf, -torch.inf, 0.0]]).expand(1000, -1)
    drawn = Segments([2, 2]).draw(logits, torch.Generator().manual_seed(0))
    assert torch.equal(drawn, torch.tensor([0, 1]).expand(1000, -1))


def test_one_seed_draws_one_table():
    draws = [Segments(ADULT).draw(flat(ADULT), torch.Generator().manual_seed(7)) for _ in range(2)]
    assert torch.equal(*draws)


def test_half_precision_elsewhere_does_not_blunt_the_sums():
    segments, x = Segments(ADULT), flat(ADULT, 50).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        blunt = segments.log_softmax(x)
    assert torch.allclose(blunt, segments.log_softmax(x), atol=1e-6)


def test_logits_in_half_precision_are_normalized_and_drawn_in_single():
    segments, x = Segments(ADULT), flat(ADULT, 50).bfloat16()
    sums = segments.sums(segments.log_softmax(x).exp())
    assert sums.dtype == torch.float32 and torch.allclose(sums, torch.ones_like(sums), atol=1e-6)
    drawn = [segments.draw(logits, torch.Generator().manual_seed(0)) for logits in (x, x.float())]
    assert torch.equal(*drawn)


def test_constants_follow_the_module_and_are_not_saved():
    segments = Segments(ADULT).double()
    assert segments.onehot(codes(ADULT)).dtype == torch.float64
    assert not segments.state_dict()


@pytest.mark.parametrize("sizes", [ADULT, (3,), (1, 1, 2), ()])
def test_maxima_and_their_codes_are_the_same_where_columns_are_laid_out_as_on_a_device(sizes, monkeypatch):
    segments, x = Segments(sizes).double(), flat(sizes, rows=50).round()  # many ties
    expected = segments.argmax(x), segments.log_softmax(x)
    monkeypatch.setattr("understudy.engines.nets.segments._SQUARE_ON", {"cpu"})
    assert torch.equal(segments.argmax(x), expected[0])
    assert torch.equal(segments.log_softmax(x), expected[1])
