from itertools import pairwise

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.edm import EDM
from understudy.engines.diffusion.gaussian import Gaussian, eps_of
from understudy.engines.diffusion.masked import Masked
from understudy.engines.diffusion.multinomial import Multinomial
from understudy.engines.diffusion.samplers import (
    Fixed,
    NoCodes,
    Plan,
    sample,
    times,
    unit_times,
)
from understudy.engines.diffusion.schedule import cosine, linear
from understudy.engines.nets.segments import Segments
from understudy.errors import ParameterError

MU, SD = 1.5, 0.4
SHARE = torch.tensor([0.3, 0.7])
CENTRE = torch.tensor([-1.0, 1.0])
WIDTH = 0.3


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def guess_of_a_normal(scale, noise, x, mu=MU, sd=SD):
    """E(x_0 | scale x_0 + noise eps = x) where x_0 is normal."""
    return mu + scale * sd**2 / (scale**2 * sd**2 + noise**2) * (x - scale * mu)


def normal_in_discrete_time(schedule, predicts="eps"):
    def denoiser(x, codes, t):
        kept, lost = schedule.kept(t)[:, None].sqrt(), schedule.lost(t)[:, None].sqrt()
        x_0 = guess_of_a_normal(kept, lost, x)
        return (eps_of(schedule, x, x_0, t) if predicts == "eps" else x_0), codes.float()

    return denoiser


def normal_in_continuous_time(edm):
    return lambda x, codes, t: (guess_of_a_normal(1.0, edm.sigma(t)[:, None], x), codes.float())


def moments_agree(x, mu, sd, slack=0.01):
    # Mean and sd of each coordinate within 5 sd (one false alarm in 10^6), and some room for finite steps.
    rows = len(x)
    close = (x.mean(0) - mu).abs().max() < 5 * sd / rows**0.5 + slack
    return close and (x.std(0) / sd - 1).abs().max() < 5 / (2 * rows) ** 0.5 + slack


# --- numbers


@pytest.mark.parametrize("spacing", ["even", "quadratic"])
@pytest.mark.parametrize(("steps", "count"), [(1, 1), (10, 10), (10, 7), (1000, 50), (1000, 1), (3, 2)])
def test_times_fall_from_the_last_to_the_record(steps, count, spacing):
    chosen = times(steps, count, spacing)
    assert len(chosen) == count + 1 and chosen[0] == steps - 1 and chosen[-1] == -1
    assert (chosen.diff() < 0).all()


@pytest.mark.parametrize("predicts", ["eps", "x0"])
@pytest.mark.parametrize("wide", [False, True])
def test_every_single_step_back_restores_a_normal(predicts, wide):
    schedule = linear(300)
    walk = Gaussian(1, schedule, predicts=predicts, wide=wide)
    denoiser = normal_in_discrete_time(schedule, predicts)
    x, codes = sample(denoiser, (walk, NoCodes()), Plan(times(300, 300)), 4000, seeded())
    assert moments_agree(x, MU, SD, slack=0.02) and codes.shape == (4000, 0)


@pytest.mark.parametrize(("eta", "again"), [(1.0, 1), (0.5, 1), (1.0, 2)])
def test_strided_steps_restore_a_normal(eta, again):
    schedule = cosine(1000)
    walk, plan = Gaussian(1, schedule, eta=eta, clip=10.0), Plan(times(1000, 100), again=again, jump=10)
    x, _ = sample(normal_in_discrete_time(schedule), (walk, NoCodes()), plan, 4000, seeded())
    assert moments_agree(x, MU, SD, slack=0.04)


def flow_error(walk, denoiser, plan, moved):
    """How far the walk without fresh noise is from the exact flow, which keeps each number's rank."""
    start = walk.start(200, seeded())
    x, _ = sample(denoiser, (walk, NoCodes()), plan, 200, seeded())
    return float((x - moved(start)).abs().max())


def ddim_error(count, *, second):
    schedule = linear(1000).double()
    last = torch.tensor(999)
    kept, lost = schedule.kept(last), schedule.lost(last)
    return flow_error(
        Gaussian(1, schedule, eta=0.0),
        normal_in_discrete_time(schedule),
        Plan(times(1000, count), second=second),
        lambda x: MU + SD * (x - kept.sqrt() * MU) / (kept * SD**2 + lost).sqrt(),
    )


def edm_error(count, *, second):
    edm = EDM(1)
    return flow_error(
        edm,
        normal_in_continuous_time(edm),
        Plan(unit_times(count), second=second),
        lambda x: MU + SD * (x - MU) / (SD**2 + 80.0**2) ** 0.5,
    )


@pytest.mark.parametrize("error", [ddim_error, edm_error])
def test_walks_without_fresh_noise_follow_the_exact_flow_of_a_normal_by_their_order(error):
    first = [error(count, second=False) for count in (25, 50, 100)]
    second = [error(count, second=True) for count in (25, 50, 100)]
    assert first[2] < 0.05 and second[2] < 0.005
    assert first[1] / first[2] > 1.6  # order 1: halved
    assert second[0] / second[1] > 2.5  # order 2: quartered, up to the last step, which has one end only
    assert second[2] < first[2] / 5


def test_heun_with_churn_restores_a_normal():
    edm, moments = EDM(1), unit_times(40)
    plan = Plan(moments, lifts=edm.time(edm.sigma(moments[:-1]) * 1.2), second=True)
    x, _ = sample(normal_in_continuous_time(edm), (edm, NoCodes()), plan, 4000, seeded())
    assert moments_agree(x, MU, SD, slack=0.03)


# --- codes

JOINT = torch.tensor([[0.30, 0.02, 0.08], [0.05, 0.45, 0.10]])


def drawn_joint(codes):
    return torch.bincount(codes[:, 0] * 3 + codes[:, 1], minlength=6).reshape(2, 3) / len(codes)


def within(share, p, rows):
    return ((share - p).abs() < 5 * (p * (1 - p) / rows).sqrt()).all()  # 6 shares at 1 in 1.7 million


def masked_pair(x, codes, _):
    rows = JOINT.expand(len(codes), -1, -1)
    shown = [codes[:, 0] < 2, codes[:, 1] < 3]
    first = rows[torch.arange(len(codes)), :, codes[:, 1].clamp(max=2)]  # of code 0, given code 1
    second = rows[torch.arange(len(codes)), codes[:, 0].clamp(max=1)]
    first = torch.where(shown[1][:, None], first, JOINT.sum(1))
    second = torch.where(shown[0][:, None], second, JOINT.sum(0))
    return x, torch.cat([first, second], 1).log()


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_masked_codes_with_exact_conditionals_have_the_joint_law(power):
    # Cells shown in one and the same step are independent; how often that happens follows from the times.
    rows, moments = 40_000, unit_times(5)
    walk = Masked(Segments([2, 3]), power)
    _, codes = sample(masked_pair, (EDM(0), walk), Plan(moments), rows, seeded())
    hidden, both, same = walk.hidden(moments).tolist(), 1.0, 0.0
    for late, soon in pairwise(hidden[:-1]):
        shown = 2 * (1 - soon / late)  # of both; a step shows this many, rounded up or down by chance
        same, both = same + both * max(shown - 1, 0), both * max(1 - shown, 0)
    assert same < np.square(np.diff(hidden)).sum()  # what chances of their own would give
    apart = JOINT.sum(1, keepdim=True) * JOINT.sum(0)
    assert within(drawn_joint(codes), (1 - same) * JOINT + same * apart, rows)


def test_known_masked_codes_condition_exactly():
    rows = 20_000
    given = torch.tensor([[0, 1]]).expand(rows, -1)
    mask = torch.tensor([[False, True]]).expand(rows, -1)
    none = torch.zeros(rows, 0)
    fixed = Fixed(none, none.bool(), given, mask)
    walks = (EDM(0), Masked(Segments([2, 3])))
    _, codes = sample(masked_pair, walks, Plan(unit_times(5)), rows, seeded(), fixed=fixed)
    assert (codes[:, 1] == 1).all()
    p = JOINT[:, 1] / JOINT[:, 1].sum()
    assert within(torch.bincount(codes[:, 0], minlength=2) / rows, p, rows)


def uniform_pair(chain):
    def denoiser(x, codes, t):
        every = torch.cartesian_prod(torch.arange(2), torch.arange(3))
        law = chain.probabilities(every.repeat(len(codes), 1), t.repeat_interleave(6))
        reach = chain.segments.at(law, codes.repeat_interleave(6, 0)).prod(1).reshape(-1, 2, 3)
        joint = JOINT * reach
        return x, torch.cat([joint.sum(2), joint.sum(1)], 1).log()

    return denoiser


@pytest.mark.parametrize("count", [60, 30])
def test_multinomial_codes_with_exact_conditionals_have_the_joint_law(count):
    rows, schedule = 10_000, cosine(60)
    chain = Multinomial(Segments([2, 3]), schedule)
    walks = (Gaussian(0, schedule), chain)
    _, codes = sample(uniform_pair(chain), walks, Plan(times(60, count)), rows, seeded())
    room = 5 * (JOINT * (1 - JOINT) / rows).sqrt() + 0.01  # the columns of one step are independent
    assert ((drawn_joint(codes) - JOINT).abs() < room).all()


# --- numbers and codes together: a code says which of two normals the number is of


def of_the_mixture(x, scale, noise, reach):
    """Return E(x_0 | x, code_t) and log p(code_0 | x, code_t); `reach` is q(code_t | code_0)."""
    spread = scale**2 * WIDTH**2 + noise**2
    logs = SHARE.log() - (x - scale * CENTRE) ** 2 / (2 * spread) - spread.log() / 2 + reach.log()
    means = guess_of_a_normal(scale, noise, x, CENTRE, WIDTH)
    return (logs.softmax(1) * means).sum(1, keepdim=True), logs


def discrete_mixture(schedule, chain):
    def denoiser(x, codes, t):
        both = torch.arange(2).repeat(len(x))[:, None]
        law = chain.probabilities(both, t.repeat_interleave(2))
        reach = chain.segments.at(law, codes.repeat_interleave(2, 0)).reshape(-1, 2)
        kept, lost = schedule.kept(t)[:, None].sqrt(), schedule.lost(t)[:, None].sqrt()
        x_0, logs = of_the_mixture(x, kept, lost, reach)
        return eps_of(schedule, x, x_0, t), logs

    return denoiser


def continuous_mixture(edm):
    def denoiser(x, codes, t):
        reach = torch.where(codes == 2, 1.0, (codes == torch.arange(2)).float())
        return of_the_mixture(x, torch.ones(1), edm.sigma(t)[:, None], reach)

    return denoiser


def discrete(count=200, **options):
    schedule = cosine(200)
    chain = Multinomial(Segments([2]), schedule)
    walks = (Gaussian(1, schedule), chain)
    return discrete_mixture(schedule, chain), walks, Plan(times(200, count), **options)


def continuous(count=60, **options):
    edm = EDM(1)
    return continuous_mixture(edm), (edm, Masked(Segments([2]))), Plan(unit_times(count), **options)


@pytest.mark.parametrize(
    "kind",
    [discrete(), discrete(100), continuous(second=True), continuous()],
    ids=["all", "half", "heun", "euler"],
)
def test_a_known_mixture_is_recovered(kind):
    rows = 4000
    x, codes = sample(*kind, rows, seeded())
    share = float((codes == 1).double().mean())
    assert abs(share - 0.7) < 5 * (0.21 / rows) ** 0.5 + 0.01
    for code in (0, 1):
        assert moments_agree(x[codes[:, 0] == code], CENTRE[code], WIDTH, slack=0.05)


def given(rows, number=None, code=None):
    return Fixed(
        torch.full((rows, 1), 0.0 if number is None else number),
        torch.full((rows, 1), number is not None),
        torch.full((rows, 1), 0 if code is None else code),
        torch.full((rows, 1), code is not None),
    )


def test_a_code_that_is_shown_draws_the_numbers_that_go_with_it():
    x, codes = sample(*continuous(second=True), 2000, seeded(), fixed=given(2000, code=0))
    assert not codes.any()
    assert moments_agree(x, -1.0, WIDTH, slack=0.05)


def fitting(kind):
    x, codes = sample(*kind, 500, seeded(), fixed=given(500, code=0))
    assert not codes.any()
    return float((x < 0).double().mean())


def test_walking_again_fits_numbers_better_to_a_code_that_is_noised():
    # 1 is right; 0.3 is what numbers are that do not know the code. Noised codes tell late, and mend little.
    shares = [fitting(discrete(100, again=again)) for again in (1, 4)]
    assert 0.4 < shares[0] < shares[1] - 0.1


@pytest.mark.parametrize("kind", [discrete(50), continuous(again=8, jump=10)], ids=["discrete", "continuous"])
def test_a_known_number_comes_back_as_it_was_and_draws_its_codes(kind):
    x, codes = sample(*kind, 1000, seeded(), fixed=given(1000, number=-0.9))
    assert (x == torch.tensor(-0.9)).all()
    assert float((codes == 0).double().mean()) > 0.95  # 1 is right, and 0.3 does not know the number


def test_one_seed_draws_one_table():
    first, second = (sample(*discrete(20), 50, seeded(3)) for _ in range(2))
    assert torch.equal(first[0], second[0]) and torch.equal(first[1], second[1])


def test_nothing_known_is_as_no_conditions():
    fixed = given(4000)
    x, codes = sample(*continuous(second=True), 4000, seeded(), fixed=fixed)
    assert abs(float((codes == 1).double().mean()) - 0.7) < 5 * (0.21 / 4000) ** 0.5 + 0.01
    assert moments_agree(x[codes[:, 0] == 1], 1.0, WIDTH, slack=0.05)


def test_drawing_leaves_no_trace_for_derivatives():
    assert not sample(*discrete(5), 5, seeded())[0].requires_grad


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plan(torch.tensor([-1])),
        lambda: Plan(times(5, 2), again=0),
        lambda: Plan(times(5, 2), jump=0),
        lambda: Plan(unit_times(3), lifts=torch.ones(2)),
        lambda: times(5, 6),
        lambda: times(5, 0),
        lambda: unit_times(0),
    ],
)
def test_plans_that_lead_nowhere_are_refused(make):
    with pytest.raises(ParameterError):
        make()
