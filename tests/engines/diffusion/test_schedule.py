import pytest

torch = pytest.importorskip("torch")

from understudy.engines.diffusion.schedule import Schedule, cosine, linear  # noqa: E402
from understudy.errors import ParameterError  # noqa: E402


@pytest.mark.parametrize("make", [linear, cosine])
@pytest.mark.parametrize("steps", [1, 2, 10, 500, 1000])
def test_every_length_has_betas_between_nothing_and_all(make, steps):
    schedule = make(steps)
    assert len(schedule) == steps
    assert ((schedule.betas > 0) & (schedule.betas < 1)).all()
    assert (schedule.alpha_bar.diff() < 0).all()


def test_the_linear_schedule_is_that_of_the_paper_at_a_thousand_steps():
    betas = linear(1000).betas
    assert betas[[0, 500, -1]].tolist() == pytest.approx([1e-4, 1e-4 + 500 / 999 * 0.0199, 0.02], rel=1e-6)


def test_linear_schedules_of_all_lengths_end_alike():
    ends = [float(linear(steps).alpha_bar[-1].log()) for steps in (200, 1000, 4000)]
    assert ends == pytest.approx([ends[1]] * 3, rel=0.05)


def test_the_cosine_schedule_leaves_a_squared_cosine():
    schedule = cosine(100)
    u = (torch.arange(1, 100, dtype=torch.float64) / 100 + 0.008) / 1.008 * torch.pi / 2
    start = torch.cos(torch.tensor(0.008 / 1.008 * torch.pi / 2, dtype=torch.float64)) ** 2
    assert torch.allclose(schedule.alpha_bar[:-1].double(), u.cos() ** 2 / start, rtol=1e-5, atol=0)


def test_shares_between_two_times_are_products_of_the_steps_between_with_all_digits():
    schedule = linear(1000)
    s, t = torch.tensor([-1, 0, 3, 700]), torch.tensor([0, 1, 900, 701])
    ratio, fresh = schedule.between(s, t)
    betas = schedule.betas.double()
    for place in range(4):
        log = torch.log1p(-betas[s[place] + 1 : t[place] + 1]).sum()
        assert float(ratio[place]) == pytest.approx(float(log.exp()), rel=1e-5)
        assert float(fresh[place]) == pytest.approx(float(-torch.expm1(log)), rel=1e-4)


def test_the_record_itself_is_at_time_minus_one():
    before = torch.tensor([-1])
    schedule = cosine(7)
    assert (schedule.kept(before).item(), schedule.lost(before).item()) == (1.0, 0.0)


def test_kept_and_lost_are_one_together():
    t = torch.arange(50)
    schedule = cosine(50)
    assert torch.allclose(schedule.kept(t) + schedule.lost(t), torch.ones(50))
    assert torch.allclose(schedule.kept(t), schedule.alpha_bar)


@pytest.mark.parametrize("betas", [[], [0.0], [1.0], [0.5, -0.1], [[0.5]]])
def test_betas_that_are_no_shares_are_refused(betas):
    with pytest.raises(ParameterError):
        Schedule(torch.tensor(betas))


@pytest.mark.parametrize("make", [linear, cosine])
def test_a_diffusion_without_steps_is_refused(make):
    with pytest.raises(ParameterError):
        make(0)
