import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.gaussian import eps_of, noised, posterior, x0_of  # noqa: E402
from understudy.engines.diffusion.schedule import Schedule, cosine, linear  # noqa: E402

BETAS = torch.tensor([0.1, 0.3, 0.2, 0.5], dtype=torch.float64)


def at(time):
    return torch.tensor(time)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def conditional(s, t, x_t, x_0):
    """Mean and variance of x_s given x_t and x_0, from the covariance of the chain's states themselves."""
    keep = torch.cumprod(1 - BETAS, 0)
    mean_s, mean_t = keep[s].sqrt() * x_0, keep[t].sqrt() * x_0
    cov = (keep[t] / keep[s]).sqrt() * (1 - keep[s])
    gain = cov / (1 - keep[t])
    return mean_s + gain * (x_t - mean_t), (1 - keep[s]) - gain * cov


def test_one_jump_has_the_moments_of_the_chain_of_single_steps():
    # 40,000 chains; mean and variance are normal enough that 5 sd is one false alarm in 10^6 for each of 8.
    generator, x, rows = torch.Generator().manual_seed(0), torch.full((40_000, 1), 1.5).double(), 40_000
    schedule = Schedule(BETAS).double()
    for t, beta in enumerate(BETAS):
        noise = torch.randn(rows, 1, generator=generator, dtype=torch.float64)
        x = (1 - beta).sqrt() * x + beta.sqrt() * noise
        mean, sd = float(schedule.kept(at(t)).sqrt() * 1.5), float(schedule.lost(at(t)).sqrt())
        assert abs(float(x.mean()) - mean) < 5 * sd / rows**0.5
        assert abs(float(x.var()) / sd**2 - 1) < 5 * (2 / rows) ** 0.5
    jump = noised(schedule, torch.full((rows, 1), 1.5).double(), torch.full((rows,), 3), normal(rows, 1))
    assert abs(float(jump.mean()) - mean) < 5 * sd / rows**0.5
    assert abs(float(jump.var()) / sd**2 - 1) < 5 * (2 / rows) ** 0.5


def test_records_have_times_of_their_own():
    schedule, x, eps = linear(10).double(), normal(3, 2), normal(3, 2, seed=1)
    together = noised(schedule, x, torch.tensor([0, 9, -1]), eps)
    alone = [noised(schedule, x[[i]], at(t), eps[[i]]) for i, t in enumerate([0, 9, -1])]
    assert torch.allclose(together, torch.cat(alone))
    assert torch.allclose(together[2], x[2])


def test_noise_and_record_follow_from_each_other():
    schedule, x, eps, t = cosine(20).double(), normal(5, 2), normal(5, 2, seed=1), torch.arange(5) * 4
    x_t = noised(schedule, x, t, eps)
    assert torch.allclose(x0_of(schedule, x_t, eps, t), x, atol=1e-5)
    assert torch.allclose(eps_of(schedule, x_t, x, t), eps, atol=1e-5)
    assert torch.allclose(x0_of(schedule, x_t, eps, t, clip=0.5), x.clamp(-0.5, 0.5), atol=1e-5)


@pytest.mark.parametrize(("s", "t"), [(0, 1), (1, 3), (0, 3), (2, 3)])
def test_the_posterior_is_the_conditional_law_of_the_chain(s, t):
    x_t, x_0 = normal(4, 2), normal(4, 2, seed=1)
    mean, variance = posterior(Schedule(BETAS).double(), x_t, x_0, at(t), at(s))
    expected, spread = conditional(s, t, x_t, x_0)
    assert torch.allclose(mean, expected, atol=1e-6)
    assert torch.allclose(variance, spread, atol=1e-6)


def test_a_stride_is_the_composition_of_its_steps():
    schedule, x_t, x_0 = Schedule(BETAS).double(), normal(4, 2), normal(4, 2, seed=1)
    middle, first = posterior(schedule, x_t, x_0, at(3), at(2))
    mean, second = posterior(schedule, middle, x_0, at(2), at(0))  # linear in x_t: the mean of the mean
    gain = posterior(schedule, torch.ones(1, 1).double(), torch.zeros(1, 1).double(), at(2), at(0))[0]
    whole, variance = posterior(schedule, x_t, x_0, at(3), at(0))
    assert torch.allclose(mean, whole, atol=1e-6)
    assert torch.allclose(second + gain**2 * first, variance, atol=1e-6)


@pytest.mark.parametrize("eta", [0.0, 0.5, 1.0])
def test_every_eta_keeps_the_law_of_each_time(eta):
    schedule, x_0, one, none = Schedule(BETAS).double(), normal(1, 1), torch.ones(1, 1), torch.zeros(1, 1)
    s, t = at(1), at(3)
    gain = posterior(schedule, one.double(), none.double(), t, s, eta=eta)[0]
    x_t = noised(schedule, x_0, t, none.double())  # its mean
    mean, variance = posterior(schedule, x_t, x_0, t, s, eta=eta)
    assert torch.allclose(mean, noised(schedule, x_0, s, none.double()), atol=1e-6)
    assert torch.allclose(variance + gain**2 * schedule.lost(t), schedule.lost(s).reshape(1, 1), atol=1e-6)


@pytest.mark.parametrize("eta", [0.0, 0.5, 1.0])
def test_the_last_step_ends_at_the_record(eta):
    x_0 = normal(4, 2)
    mean, variance = posterior(linear(10).double(), normal(4, 2, seed=1), x_0, at(6), at(-1), eta=eta)
    assert torch.allclose(mean, x_0) and not variance.any()
