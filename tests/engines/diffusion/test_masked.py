import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.masked import Masked  # noqa: E402
from understudy.engines.nets.segments import Segments  # noqa: E402
from understudy.errors import ParameterError  # noqa: E402

SIZES = (3, 2)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def chain(power=1.0):
    return Masked(Segments(SIZES), power)


def hidden_share(codes):
    return (codes == torch.tensor(SIZES)).double().mean(0)


@pytest.mark.parametrize("power", [1.0, 2.5])
def test_cells_are_hidden_by_the_power_of_time_and_never_changed_otherwise(power):
    # 2 shares, each 5 sd off in one seed of 1.7 million.
    rows, codes = 20_000, torch.tensor([[2, 1]])
    drawn = chain(power).noised(codes.expand(rows, -1), torch.full((rows,), 0.6), seeded())
    p = 0.6**power
    assert ((hidden_share(drawn) - p).abs() < 5 * (p * (1 - p) / rows) ** 0.5).all()
    assert ((drawn == codes) | (drawn == torch.tensor(SIZES))).all()


def test_hiding_in_two_parts_is_hiding_at_once():
    rows, model = 20_000, chain(2.0)
    codes = torch.tensor([[2, 1]]).expand(rows, -1)
    middle = model.noised(codes, torch.tensor(0.3), seeded())
    late = model.noised(middle, torch.tensor(0.7), seeded(1), since=torch.tensor(0.3))
    assert ((hidden_share(late) - 0.49).abs() < 5 * (0.49 * 0.51 / rows) ** 0.5).all()
    assert (
        late[middle == torch.tensor(SIZES)]
        == torch.tensor(SIZES).expand(rows, -1)[middle == torch.tensor(SIZES)]
    ).all()


def test_at_the_ends_nothing_and_everything_is_hidden():
    codes, model = torch.tensor([[2, 1]]).expand(500, -1), chain()
    assert torch.equal(model.noised(codes, torch.tensor(0.0), seeded()), codes)
    assert torch.equal(model.noised(codes, torch.tensor(-1.0), seeded()), codes)
    assert torch.equal(model.noised(codes, torch.tensor(1.0), seeded()), model.start(500, seeded()))


def test_a_step_back_shows_the_share_that_was_hidden_in_between():
    rows, model = 20_000, chain(2.0)
    codes = model.start(rows, seeded())
    drawn = model.step(codes, torch.zeros(rows, 5), torch.tensor(0.8), torch.tensor(0.4), seeded())
    p = 0.25
    assert ((hidden_share(drawn) - p).abs() < 5 * (p * (1 - p) / rows) ** 0.5).all()


@pytest.mark.parametrize("end", [0.0, -1.0])
def test_the_last_step_shows_everything_drawn_by_the_logits(end):
    rows, model = 20_000, chain()
    logits = torch.tensor([0.0, 1.0, -1.0, 2.0, 0.0])
    start = model.start(rows, seeded())
    drawn = model.step(start, logits.expand(rows, -1), torch.tensor(0.1), torch.tensor(end), seeded())
    share, p = model.segments.onehot(drawn).mean(0), model.segments.log_softmax(logits[None])[0].exp()
    assert ((share - p).abs() < 5 * (p * (1 - p) / rows).sqrt()).all()


def test_shown_cells_stay():
    codes = torch.tensor([[2, 2], [0, 1]])
    drawn = chain().step(codes, torch.zeros(2, 5), torch.tensor(0.5), torch.tensor(-1.0), seeded())
    assert drawn[0, 0] == 2 and drawn[0, 1] < 2 and drawn[1].tolist() == [0, 1]
    again = chain().step(drawn, torch.zeros(2, 5), torch.tensor(0.0), torch.tensor(-1.0), seeded())
    assert torch.equal(again, drawn)


def test_only_hidden_cells_are_in_the_loss_by_their_weight():
    model, codes_0 = chain(3.0), torch.tensor([[1, 0], [1, 0]])
    codes_t = torch.tensor([[3, 0], [1, 2]])
    logits = torch.randn(2, 5, generator=seeded())
    nll = -model.segments.at(model.segments.log_softmax(logits), codes_0)
    expected = torch.tensor([[3 / 0.5, 0.0], [0.0, 3 / 0.25]]) * nll
    assert torch.allclose(model.loss(logits, codes_0, codes_t, torch.tensor([0.5, 0.25])), expected)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_mean_loss_of_the_marginal_is_its_cross_entropy(power):
    # E over t of weight(t) hidden(t) is 1: integrated by the midpoint rule, without drawing.
    t = (torch.arange(2000) + 0.5) / 2000
    model = chain(power)
    assert float((model.weight(t) * model.hidden(t)).mean()) == pytest.approx(1.0, abs=1e-4)


def test_the_loss_at_time_zero_is_nothing_and_not_a_number_out_of_range():
    model, codes = chain(), torch.tensor([[1, 0]])
    logits = torch.zeros(1, 5, requires_grad=True)
    loss = model.loss(logits, codes, codes, torch.zeros(1))
    (slope,) = torch.autograd.grad(loss.sum(), logits)
    assert not loss.any() and not slope.any()


def test_hidden_is_one_level_more_for_inputs():
    assert chain().inputs.sizes == (4, 3)
    assert chain().inputs.onehot(chain().start(1, seeded())).tolist() == [[0, 0, 0, 1, 0, 0, 1]]


def test_a_power_that_hides_nothing_is_refused():
    with pytest.raises(ParameterError):
        chain(0.0)
