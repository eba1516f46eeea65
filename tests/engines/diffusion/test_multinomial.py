import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.multinomial import Multinomial  # noqa: E402
from understudy.engines.diffusion.schedule import Schedule, cosine  # noqa: E402
from understudy.engines.nets.segments import Segments  # noqa: E402

SIZES = (3, 1, 4)
BETAS = torch.tensor([0.1, 0.3, 0.2, 0.6], dtype=torch.float64)


def chain(betas=BETAS, *, plugged=False, sizes=SIZES):
    return Multinomial(Segments(sizes), Schedule(betas), plugged=plugged).double()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def matrix(first, last, size):
    """P(x_last = j | x_first = i) by products of single steps, of which each is BETAS' own."""
    product = torch.eye(size, dtype=torch.float64)
    for beta in BETAS[first + 1 : last + 1]:
        product = product @ ((1 - beta) * torch.eye(size, dtype=torch.float64) + beta / size)
    return product


def bayes(x_t, x_0, t, s, size):
    joint = matrix(-1, s, size)[x_0] * matrix(s, t, size)[:, x_t]
    return joint / joint.sum()


def guesses(rows, seed=0, scale=1.0):
    logits = scale * torch.randn(rows, sum(SIZES), generator=seeded(seed), dtype=torch.float64)
    return logits, Segments(SIZES).double().log_softmax(logits).exp()


def reverse(guess, x_t, t, s, plugged):
    """p(x_s | x_t) of one column by a sum over all x_0, or with the guess in x_0's place."""
    size = len(guess)
    if plugged:
        joint = (guess @ matrix(-1, s, size)) * matrix(s, t, size)[:, x_t]
        return joint / joint.sum()
    return sum(guess[x_0] * bayes(x_t, x_0, t, s, size) for x_0 in range(size))


def every_pair():
    size = SIZES[0]
    grid = torch.cartesian_prod(torch.arange(size), torch.arange(SIZES[2]))
    both = torch.stack([grid[:, 0], torch.zeros(len(grid), dtype=torch.int64), grid[:, 1]], 1)
    first, second = torch.cartesian_prod(torch.arange(len(both)), torch.arange(len(both))).T
    return both[first], both[second]


TIMES = [(1, 0), (2, 0), (3, 1), (3, -1), (0, -1)]


def test_codes_at_each_time_have_the_shares_of_the_chain_of_single_steps():
    # 7 shares at each of 4 times, each 5 sd off in one seed of 1.7 million.
    rows, model = 20_000, chain()
    codes = torch.tensor([[2, 0, 1]]).expand(rows, -1)
    for t in range(4):
        drawn = model.noised(codes, torch.full((rows,), t), seeded(t))
        share = model.segments.onehot(drawn).mean(0)
        p = torch.cat([matrix(-1, t, size)[code] for size, code in zip(SIZES, (2, 0, 1), strict=True)])
        assert torch.allclose(model.probabilities(codes[:1], torch.tensor([t]))[0], p, atol=1e-6)
        assert ((share - p).abs() <= 5 * (p * (1 - p) / rows).sqrt() + 1e-9).all()


def test_nothing_happens_to_codes_at_time_minus_one():
    codes = torch.tensor([[2, 0, 1]]).expand(100, -1)
    assert torch.equal(chain().noised(codes, torch.tensor(-1), seeded()), codes)


def test_a_code_is_never_beyond_its_levels():
    drawn = chain(sizes=(2, 1, 100_000)).start(5000, seeded())
    assert (drawn.amin() >= 0) and (drawn.amax(0) < torch.tensor([2, 1, 100_000])).all()


@pytest.mark.parametrize("plugged", [False, True])
@pytest.mark.parametrize(("t", "s"), TIMES)
def test_the_posterior_of_a_known_record_is_that_of_bayes_over_the_chain(t, s, plugged):
    model, (codes_0, codes_t) = chain(plugged=plugged), every_pair()
    known = model.segments.onehot(codes_0)
    found = model.posterior(codes_t, known, torch.tensor(t), torch.tensor(s)).split(SIZES, 1)
    for place, size in enumerate(SIZES):
        expected = [
            bayes(x_t, x_0, t, s, size) for x_t, x_0 in zip(codes_t[:, place], codes_0[:, place], strict=True)
        ]
        assert torch.allclose(found[place], torch.stack(expected), atol=1e-6)


@pytest.mark.parametrize("plugged", [False, True])
@pytest.mark.parametrize(("t", "s"), TIMES)
def test_the_posterior_of_a_guess_is_a_sum_over_all_records_or_has_the_guess_plugged_in(t, s, plugged):
    model, (_, codes_t) = chain(plugged=plugged), every_pair()
    _, guess = guesses(len(codes_t))
    found = model.posterior(codes_t, guess, torch.tensor(t), torch.tensor(s)).split(SIZES, 1)
    for place, part in enumerate(guess.split(SIZES, 1)):
        rows = zip(part, codes_t[:, place], strict=True)
        expected = torch.stack([reverse(row, x_t, t, s, plugged) for row, x_t in rows])
        assert torch.allclose(found[place], expected, atol=1e-6)


def test_a_stride_is_the_composition_of_its_steps():
    # With x_0 known: p(x_0 | x_3, x_0) by way of any x_1 is the sum over x_1 of the two posteriors.
    size = 4
    for x_0, x_t in [(0, 0), (0, 2)]:
        model, known = chain(sizes=(size,)), torch.eye(size, dtype=torch.float64)[[x_0]]
        time = [torch.tensor(t) for t in range(4)]
        first = model.posterior(torch.tensor([[x_t]]), known, time[3], time[2])[0]
        rest = model.posterior(torch.arange(size)[:, None], known.expand(size, -1), time[2], time[0])
        assert torch.allclose(
            first @ rest, model.posterior(torch.tensor([[x_t]]), known, time[3], time[0])[0]
        )


@pytest.mark.parametrize("plugged", [False, True])
def test_steps_are_drawn_from_the_posterior(plugged):
    # 8 shares for each of 3 strides, each 5 sd off in one seed of 1.7 million.
    rows, model = 20_000, chain(plugged=plugged)
    logits, guess = guesses(1)
    codes_t = torch.tensor([[1, 0, 3]])
    for t, s in torch.tensor([(3, 1), (1, 0), (2, -1)]):
        p = model.posterior(codes_t, guess, t, s)[0]
        drawn = model.step(codes_t.expand(rows, -1), logits.expand(rows, -1), t, s, seeded())
        share = model.segments.onehot(drawn).mean(0)
        assert ((share - p).abs() <= 5 * (p * (1 - p).clamp(min=0) / rows).sqrt() + 1e-6).all()


@pytest.mark.parametrize("plugged", [False, True])
@pytest.mark.parametrize("t", [1, 2, 3])
def test_the_kl_is_a_sum_over_states(t, plugged):
    model, (codes_0, codes_t) = chain(plugged=plugged), every_pair()
    logits, guess = guesses(len(codes_t))
    found = model.kl(logits, codes_0, codes_t, torch.full((len(codes_t),), t))
    for place, part in enumerate(guess.split(SIZES, 1)):
        for row, x_0, x_t, value in zip(
            part, codes_0[:, place], codes_t[:, place], found[:, place], strict=True
        ):
            q = bayes(x_t, x_0, t, t - 1, len(row))
            p = reverse(row, x_t, t, t - 1, plugged)
            assert float(value) == pytest.approx(float((q * (q / p).log()).sum()), abs=1e-6)


def test_at_time_zero_the_kl_is_the_record_s_own_likelihood():
    (codes_0, codes_t), time = every_pair(), torch.zeros(144, dtype=torch.int64)
    logits, guess = guesses(144)
    for plugged in (False, True):
        model = chain(plugged=plugged)
        expected = -model.segments.at(model.posterior(codes_t, guess, time, time - 1), codes_0).log()
        assert torch.allclose(model.kl(logits, codes_0, codes_t, time), expected, atol=1e-6)
    assert torch.allclose(chain().kl(logits, codes_0, codes_t, time), chain().cross_entropy(logits, codes_0))


@pytest.mark.parametrize("plugged", [False, True])
def test_the_bound_of_a_perfect_model_is_the_entropy_and_no_other_model_is_below(plugged):
    # One column, guess = p(x_0 | x_t) exactly: sums over t of E KL + NLL + prior KL = -E log p(x_0) only if
    # each reverse step is exact, which the mixture is. Plugged in, the bound is above.
    size, data = 3, torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)
    model, codes = chain(sizes=(size,), plugged=plugged), torch.arange(size)
    bound = float((data * model.prior_kl()).sum())
    for t in range(4):
        joint = data[:, None] * matrix(-1, t, size)  # (x_0, x_t)
        guess = (joint / joint.sum(0)).T  # (x_t, x_0)
        codes_0, codes_t = torch.cartesian_prod(codes, codes).T
        kl = model.kl(guess[codes_t].log(), codes_0[:, None], codes_t[:, None], torch.full((9,), t))
        bound += float((joint.flatten() * kl[:, 0]).sum())
    entropy = -float((data * data.log()).sum())
    last = data @ matrix(-1, 3, size)  # the bound's prior is uniform, the chain's end only nearly so
    gap = float((last * (size * last).log()).sum())
    if plugged:
        assert bound > entropy + gap + 1e-3
    else:
        assert bound == pytest.approx(entropy + gap, abs=1e-5)


@pytest.mark.parametrize("plugged", [False, True])
def test_the_derivative_of_the_kl_is_that_of_finite_differences(plugged):
    model, (codes_0, codes_t) = chain(plugged=plugged), every_pair()
    rows, times = torch.arange(0, 144, 13), torch.arange(0, 144, 13) % 4
    logits = guesses(len(rows))[0].requires_grad_()
    assert torch.autograd.gradcheck(lambda x: model.kl(x, codes_0[rows], codes_t[rows], times), logits)


@pytest.mark.parametrize("plugged", [False, True])
def test_extreme_guesses_on_a_long_schedule_stay_finite_in_single_precision(plugged):
    model = Multinomial(Segments([2, 50]), cosine(1000), plugged=plugged)
    codes_0 = torch.tensor([[0, 7], [1, 49], [1, 0], [0, 0]])
    logits = (1e3 * (1 - 2 * model.segments.onehot(codes_0))).requires_grad_()  # certain, and wrong
    for time in (0, 1, 500, 999):
        t = torch.full((4,), time)
        kl = model.kl(logits, codes_0, model.noised(codes_0, t, seeded()), t)
        (slope,) = torch.autograd.grad(kl.sum(), logits)
        assert torch.isfinite(kl).all() and (kl > -1e-5).all() and torch.isfinite(slope).all()


def test_a_table_without_codes_and_a_diffusion_of_one_step_are_served_too():
    none, time = torch.zeros(3, 0, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
    empty = chain(sizes=())
    assert empty.kl(torch.zeros(3, 0).double(), none, none, time).shape == (3, 0)
    assert empty.step(none, torch.zeros(3, 0).double(), time, time - 1, seeded()).shape == (3, 0)
    single, codes = Multinomial(Segments(SIZES), cosine(1)), torch.tensor([[2, 0, 1]])
    drawn = single.noised(codes, time[:1], seeded())
    assert torch.isfinite(single.kl(torch.zeros(1, 8), codes, drawn, time[:1])).all()


def test_several_draws_of_one_record_may_stand_side_by_side():
    codes, t = (
        torch.tensor([[2, 0, 1], [0, 0, 3]])[:, None].expand(-1, 5, -1),
        torch.arange(10).reshape(2, 5) % 4,
    )
    drawn = chain().noised(codes, t, seeded())
    logits = guesses(10)[0].reshape(2, 5, -1)
    flat = chain().kl(logits.flatten(0, 1), codes.flatten(0, 1), drawn.flatten(0, 1), t.flatten())
    assert torch.allclose(chain().kl(logits, codes, drawn, t).flatten(0, 1), flat)
