import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.edm import EDM  # noqa: E402
from understudy.errors import ParameterError  # noqa: E402


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def test_times_name_the_sigmas_of_the_paper():
    edm, steps = EDM(1), 18
    t = torch.linspace(1, 0, steps).double()
    paper = (80 ** (1 / 7) + torch.arange(steps) / (steps - 1) * (0.002 ** (1 / 7) - 80 ** (1 / 7))) ** 7
    assert torch.allclose(edm.sigma(t), paper.double(), rtol=1e-4)
    assert torch.allclose(edm.time(edm.sigma(t)), t, atol=1e-6)
    assert edm.sigma(torch.tensor(-1.0)) == 0


def test_input_and_target_of_the_network_have_variance_one_at_every_sigma():
    # Var(x) = sigma^2 + data^2 of records of sd `data`; the target is (x_0 - c_skip x) / c_out.
    edm, rows = EDM(1, data=0.7), 50_000
    x_0 = 0.7 * normal(rows, 1)
    for sigma in (0.01, 0.5, 20.0):
        sigmas = torch.full((rows,), sigma, dtype=torch.float64)
        x = x_0 + sigma * normal(rows, 1, seed=1)
        none = edm.denoised(lambda x, _: 0 * x, x, sigmas)  # c_skip x
        seen = edm.denoised(lambda x, _: x, x, sigmas)  # c_skip x + c_out c_in x
        one = edm.denoised(lambda x, _: 1 + 0 * x, x, sigmas)  # c_skip x + c_out
        target = (x_0 - none) / (one - none)
        for values in (
            (seen - none) / (one - none),
            target,
        ):  # each variance is 5 sd off in one seed of 1.7 million
            assert abs(float(values.var()) - 1) < 5 * (2 / rows) ** 0.5
        assert torch.allclose(edm.weight(sigmas), (one - none)[:, 0] ** -2)


def test_the_network_is_told_a_quarter_of_the_log_of_sigma():
    seen = []
    EDM(1).denoised(lambda x, c: seen.append(c) or x, torch.zeros(2, 1), torch.tensor([1.0, torch.e**4]))
    assert torch.allclose(seen[0], torch.tensor([0.0, 1.0]))


def test_sigmas_to_train_at_are_log_normal():
    # Mean and variance of 20,000 normals, each 5 sd off in one seed of 1.7 million.
    logs = EDM(1).draw(20_000, seeded()).double().log()
    assert abs(float(logs.mean()) + 1.2) < 5 * 1.2 / 20_000**0.5
    assert abs(float(logs.var()) / 1.44 - 1) < 5 * (2 / 20_000) ** 0.5


def test_noise_in_two_parts_is_noise_at_once():
    edm, rows = EDM(1), 20_000
    middle = edm.noised(torch.zeros(rows, 1).double(), torch.tensor(0.3), seeded())
    late = edm.noised(middle, torch.tensor(0.5), seeded(1), since=torch.tensor(0.3))
    sigma = float(edm.sigma(torch.tensor(0.5)))
    assert abs(float(late.var()) / sigma**2 - 1) < 5 * (2 / rows) ** 0.5
    x = normal(3, 1)
    assert torch.equal(edm.noised(x, torch.tensor(-1.0), seeded()), x)


def test_moving_along_the_direction_of_a_perfect_guess_ends_at_the_record():
    edm, x, record = EDM(2), normal(4, 2), normal(4, 2, seed=1)
    t, end = torch.tensor(0.6).double(), torch.tensor(-1.0).double()
    assert torch.allclose(edm.move(x, edm.direction(x, record, t), t, end, seeded()), record)


def test_the_walk_starts_at_the_highest_noise():
    assert abs(float(EDM(50).start(400, seeded()).std()) / 80 - 1) < 5 * (1 / 2 / 20_000) ** 0.5


@pytest.mark.parametrize("settings", [{"low": 0.0}, {"low": 90.0}, {"rho": 0.0}, {"data": 0.0}])
def test_noise_that_makes_no_sense_is_refused(settings):
    with pytest.raises(ParameterError):
        EDM(1, **settings)
