import math
import time

import numpy as np
import pytest
from scipy import stats

import understudy.privacy.noise as noise_file
from goodness import ALPHA, p_of_floats
from understudy.errors import ParameterError
from understudy.privacy.noise import exponential, gumbel, normals, poisson_mask, uniforms
from understudy.privacy.stream import Stream

N = 100_000
SCALES = [0.3, 1.0, 2.5, 40.0, 1e4, 1e9]
SAMPLERS = {
    "normals, float32": (lambda stream, n: normals(stream, n, np.float32), stats.norm.cdf),
    "normals, float64": (lambda stream, n: normals(stream, n, np.float64), stats.norm.cdf),
    "uniforms": (uniforms, stats.uniform.cdf),
    "exponential": (exponential, stats.expon.cdf),
    "gumbel": (gumbel, stats.gumbel_r.cdf),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_law_is_accepted_at_its_scale_and_refused_five_percent_off(name, scale):
    draw, cdf = SAMPLERS[name]
    sample = draw(Stream.unsafe_test_noise(SCALES.index(scale)), N) * scale
    assert p_of_floats(sample, lambda x: cdf(x / scale)) > 1e-3
    for wrong in (1.05, 1 / 1.05):
        assert p_of_floats(sample, lambda x, wrong=wrong: cdf(x / (scale * wrong))) < ALPHA


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moments_of_a_million_normals_are_right(dtype):
    drawn = normals(Stream.unsafe_test_noise(11), 1_000_000, dtype).astype(np.float64)
    for power, expected, spread in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10_170)]:
        assert abs((drawn**power).mean() - expected) < 5 * math.sqrt(spread / 1e6), power


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tails_of_normals_are_as_heavy_as_they_should_be(dtype):
    drawn = np.abs(normals(Stream.unsafe_test_noise(12), 4_000_000, dtype))
    for bound in (2, 3, 4, 4.5):
        expected = 2 * stats.norm.sf(bound) * len(drawn)
        assert abs((drawn > bound).sum() - expected) < 5 * math.sqrt(expected)


def test_the_least_radius_word_reaches_beyond_nine_standard_deviations():
    words = np.array([0, 1, 2**64 - 1], np.uint64)
    radii = np.sqrt(2 * noise_file._minus_log(words))
    assert 9.4 < radii[0] < 9.5 and np.isfinite(radii).all() and radii[2] == 0


@pytest.mark.parametrize("draw", [normals, uniforms, exponential, gumbel])
def test_neighbours_are_not_correlated(draw):
    drawn = np.asarray(draw(Stream.unsafe_test_noise(13), 1_000_000), np.float64)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.005


def test_the_two_normals_of_a_pair_are_independent():
    blocks = normals(Stream.unsafe_test_noise(14), 16 * noise_file._BLOCK).reshape(16, 2, -1)
    first, second = blocks[:, 0].ravel().astype(np.float64), blocks[:, 1].ravel().astype(np.float64)
    for shape in (lambda x: x, np.square, np.abs, lambda x: x**3):
        assert abs(np.corrcoef(shape(first), shape(second))[0, 1]) < 0.007


def test_blocks_of_normals_differ():
    blocks = normals(Stream.unsafe_test_noise(15), (8, noise_file._BLOCK))
    assert np.abs(np.corrcoef(blocks) - np.eye(8)).max() < 5 / math.sqrt(noise_file._BLOCK)


@pytest.mark.parametrize("draw", [normals, uniforms, exponential, gumbel])
def test_two_streams_differ_and_one_stream_goes_on(draw):
    run = Stream.unsafe_test_noise(16)
    first, second, other = draw(run, 1000), draw(run, 1000), draw(Stream.unsafe_test_noise(17), 1000)
    assert not np.intersect1d(first, second).size and not np.intersect1d(first, other).size
    assert np.array_equal(first, draw(Stream.unsafe_test_noise(16), 1000))


@pytest.mark.parametrize("draw", [normals, uniforms, exponential, gumbel])
@pytest.mark.parametrize("shape", [0, 1, 7, (), (0, 3), (3, 5), (2, 3, 4), noise_file._BLOCK + 1])
def test_any_shape_can_be_asked_for(draw, shape):
    drawn = draw(Stream.unsafe_test_noise(18), shape)
    assert drawn.shape == (shape if isinstance(shape, tuple) else (shape,)) and np.isfinite(drawn).all()


@pytest.mark.parametrize("draw", [normals, uniforms, exponential, gumbel])
@pytest.mark.parametrize("shape", [-1, 1.5, True, None, (3, -1), "3", [3]])
def test_what_is_no_shape_is_refused(draw, shape):
    with pytest.raises(ParameterError, match="shape"):
        draw(Stream.fresh(), shape)


@pytest.mark.parametrize("dtype", [np.float16, np.int64, "complex64"])
def test_normals_are_of_two_kinds_only(dtype):
    with pytest.raises(ParameterError, match="float32 or float64"):
        normals(Stream.fresh(), 3, dtype)


def test_uniforms_never_reach_either_end():
    class Extreme:
        def uint64(self, n):
            return np.array([0, 2**64 - 1], np.uint64)[:n]

    assert uniforms(Extreme(), 2).tolist() == [2.0**-53, 1 - 2.0**-53]


def test_exponentials_are_fine_at_both_ends():
    class Extreme:
        def uint64(self, n):
            return np.array([0, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)[:n]

    drawn = exponential(Extreme(), 4)
    assert drawn[0] == pytest.approx(65 * math.log(2)) and drawn[3] == pytest.approx(2.0**-65)
    assert drawn[1:3] == pytest.approx(math.log(2))


def test_the_largest_of_gumbels_picks_in_proportion_to_the_exponential_of_the_scores():
    scores = np.array([0.0, 1.0, 2.0, 0.5])
    winners = (scores + gumbel(Stream.unsafe_test_noise(19), (N, 4))).argmax(axis=1)
    expected = np.exp(scores) / np.exp(scores).sum() * N
    assert stats.chisquare(np.bincount(winners, minlength=4), expected).pvalue > 1e-3
    off = np.exp(1.05 * scores) / np.exp(1.05 * scores).sum() * N
    assert stats.chisquare(np.bincount(winners, minlength=4), off).pvalue < ALPHA


@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_poisson_batch_has_the_right_size_and_not_five_percent_more(rate):
    n = 5_000_000
    taken = int(poisson_mask(Stream.unsafe_test_noise(20), rate, n).sum())
    assert stats.binomtest(taken, n, rate).pvalue > 1e-3
    if rate * n > 1e4:  # a batch of 500 does not tell five percent
        assert stats.binomtest(taken, n, rate / 1.05).pvalue < ALPHA


def test_rows_are_taken_independently_of_each_other():
    mask = poisson_mask(Stream.unsafe_test_noise(21), 0.3, 1_000_000).astype(float)
    assert abs(np.corrcoef(mask[:-1], mask[1:])[0, 1]) < 0.005


def test_a_poisson_batch_is_decided_by_whole_numbers_below_the_rate():
    class Edge:
        def uint64(self, n):
            return np.array([2**62 - 1, 2**62, 0, 2**64 - 1], np.uint64)[:n]

    assert poisson_mask(Edge(), 0.25, 4).tolist() == [True, False, True, False]
    assert poisson_mask(Edge(), 0.0, 4).tolist() == [False] * 4
    assert poisson_mask(Edge(), 1.0, 4).tolist() == [True] * 4
    assert poisson_mask(Edge(), 2.0**-64, 4).tolist() == [False, False, True, False]
    assert poisson_mask(Edge(), 2.0**-65, 4).tolist() == [False] * 4


def test_the_rate_does_not_move_the_stream():
    after = []
    for rate in (0.0, 0.5, 1.0):
        run = Stream.unsafe_test_noise(22)
        poisson_mask(run, rate, 1000)
        after.append(run.take(16))
    assert len(set(after)) == 1


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan, math.inf, True, None, "0.5"])
def test_a_rate_outside_nought_to_one_is_refused(rate):
    with pytest.raises(ParameterError, match="rate"):
        poisson_mask(Stream.fresh(), rate, 10)


@pytest.mark.slow  # it measures time, which a busy machine disturbs in ways that last
@pytest.mark.parametrize("draw", [normals, gumbel])
def test_the_time_of_a_draw_tells_nothing_about_its_size(draw):
    run = Stream.fresh()
    times, sizes = np.empty(10_000), np.empty(10_000)
    for turn in range(10_000):
        start = time.perf_counter_ns()
        drawn = draw(run, 1)
        times[turn] = time.perf_counter_ns() - start
        sizes[turn] = abs(drawn[0])
    assert abs(stats.spearmanr(times, sizes).statistic) < 0.05  # by chance once in two million runs
