import math
import time
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import understudy.privacy.discrete as discrete_file
from goodness import ALPHA, p_of_integers
from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_gaussian, discrete_laplace
from understudy.privacy.stream import Stream

N = 100_000
SCALES = [0.3, 0.75, 1.0, 3.3, 100.0, 1e9]
DRAWS = [discrete_gaussian, discrete_laplace]
LAWS = {
    **{f"gaussian {scale:g}": discrete_file._gaussian(Fraction(scale)) for scale in [0.01, *SCALES]},
    **{f"laplace {scale:g}": discrete_file._laplace(Fraction(scale)) for scale in [0.01, *SCALES]},
}
every_scale = pytest.mark.parametrize("scale", SCALES)
every_draw = pytest.mark.parametrize("draw", DRAWS)
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def gaussian_cdf(sigma):
    if sigma > 1e4:  # so smooth that the sum and the integral are the same to all digits
        return lambda k: stats.norm.cdf((k + 0.5) / sigma)
    support = np.arange(-math.ceil(12 * sigma) - 2, math.ceil(12 * sigma) + 3)
    weights = np.exp(-(support**2) / (2 * sigma**2))
    below = np.cumsum(weights) / weights.sum()
    return lambda k: below[np.asarray(k - support[0], int)]


def laplace_cdf(scale):
    q = math.exp(-1 / scale)
    return lambda k: np.where(k < 0, np.exp(k / scale) / (1 + q), 1 - np.exp(-(k + 1) / scale) / (1 + q))


CDFS = {discrete_gaussian: gaussian_cdf, discrete_laplace: laplace_cdf}


@every_draw
@every_scale
def test_a_law_is_accepted_at_its_scale_and_refused_five_percent_off(draw, scale):
    sample = draw(Stream.unsafe_test_noise(1), scale, N)
    assert p_of_integers(sample, CDFS[draw](scale), scale) > 1e-3
    for wrong in (1.05, 1 / 1.05):
        assert p_of_integers(sample, CDFS[draw](scale * wrong), scale) < ALPHA
        off = draw(Stream.unsafe_test_noise(2), scale * wrong, N)
        assert p_of_integers(off, CDFS[draw](scale), scale) < ALPHA


@every_draw
def test_millions_of_small_draws_have_each_value_as_often_as_they_should(draw):
    sample = draw(Stream.unsafe_test_noise(3), 1.7, 4_000_000)
    cdf, values = CDFS[draw](1.7), np.arange(-9, 10)
    expected = len(sample) * np.append(np.append(cdf(values[:1]), np.diff(cdf(values))), 1 - cdf(values[-1:]))
    observed = np.bincount(np.clip(sample, -9, 10) + 9, minlength=20)
    some = expected > 5
    fitted = expected[some] * observed[some].sum() / expected[some].sum()
    assert stats.chisquare(observed[some], fitted).pvalue > 1e-3


@every_draw
def test_both_signs_are_as_likely_and_their_sizes_alike(draw):
    sample = draw(Stream.unsafe_test_noise(4), 5.0, 1_000_000)
    up, down = sample[sample > 0], -sample[sample < 0]
    assert abs(len(up) - len(down)) < 5 * math.sqrt(len(up) + len(down))
    assert stats.ks_2samp(up, down, method="asymp").pvalue > 1e-3


@every_draw
def test_the_widest_law_leaves_no_gaps(draw):
    sample = draw(Stream.unsafe_test_noise(5), 2.0**40, 500_000)
    assert stats.chisquare(np.bincount(sample & 15, minlength=16)).pvalue > 1e-3
    assert np.abs(sample).max() > 3 * 2**40


@every_draw
def test_a_tiny_scale_draws_noughts(draw):
    assert not draw(Stream.unsafe_test_noise(6), 2.0**-40, 1000).any()


def words_of(seed, n):
    return Stream.unsafe_test_noise(seed).uint64(3 * n).reshape(3, n)


@every_law
def test_floats_decide_as_exact_arithmetic_does(law):
    run, words = Stream.unsafe_test_noise(7), words_of(8, 1000)
    exactly = [discrete_file._settle(run, law, tuple(int(word) for word in column)) for column in words.T]
    assert discrete_file._kept(run, law, words).tolist() == [y for y, kept in exactly if kept]


@every_law
def test_what_floats_doubt_is_settled_without_changing_the_outcome(law, monkeypatch):
    run, words = Stream.unsafe_test_noise(9), words_of(10, 4000)
    before, calls = discrete_file._kept(run, law, words), []
    settle = discrete_file._settle
    monkeypatch.setattr(discrete_file, "_DOUBT", 0.05)
    monkeypatch.setattr(discrete_file, "_settle", lambda *args: calls.append(args) or settle(*args))
    after = discrete_file._kept(run, law, words)
    assert np.array_equal(before, after)
    assert len(calls) > 0 or law.rate > 1000  # a law that is all nought leaves nothing to doubt


def test_a_candidate_at_the_very_edge_gets_more_bits_until_it_is_settled():
    law, run = LAWS["gaussian 1"], Stream.unsafe_test_noise(11)
    # blocks hold one number, so one zero makes y = V = 1: it is kept up to exp(-1/2) * 2 / cap
    b = 2**62
    with localcontext(Context(prec=60)):
        edge = int((Decimal("-0.5").exp() * 2 / Decimal(law.cap)) * 2**64)
    outcomes = {step: discrete_file._settle(run, law, (0, b, edge + step)) for step in (-1, 0, 1)}
    assert outcomes[-1] == (1, True) and outcomes[1] == (1, False)
    assert discrete_file._is_below(Fraction(law.cap) / 2**65, edge, law.rate) is None
    kept = [discrete_file._settle(Stream.unsafe_test_noise(seed), law, (0, b, edge))[1] for seed in range(60)]
    assert 0 < sum(kept) < 60  # the further bits decide, and they differ from run to run


def test_a_block_word_of_zeros_is_counted_on_in_further_words():
    # blocks of one number, each half as likely as the one before
    law = discrete_file._laplace(Fraction(10_000_000, 6_931_472))
    run = Stream.unsafe_test_noise(12)
    words = np.array([[0, 2**63, 5], [0, 0, 0], [2**60, 2**60, 2**60]], np.uint64)
    kept = discrete_file._kept(run, law, words)
    assert len(kept) == 3 and (np.abs(kept) >= 64).all() and kept[1] < 0 < kept[0]
    for b in (1, 2**10, 2**11 - 1):  # zeros in all of the 53 bits that floats see, not in all 64
        column = np.array([[0], [b], [2**60]], np.uint64)
        assert discrete_file._kept(run, law, column).tolist() == [64 - b.bit_length()]


def test_floats_are_never_sure_of_a_block_that_is_not_counted_to_its_end():
    surely, maybe = discrete_file._compare(
        LAWS["laplace 1"], np.zeros(1), np.zeros(1, int), np.ones(1, np.uint64)
    )
    assert maybe.all() and not surely.any()


@pytest.mark.parametrize("word", [0, 1, 2**11 - 1, 2**63, 2**64 - 1])
@every_law
def test_extreme_words_are_decided_like_any_other(law, word):
    run = Stream.unsafe_test_noise(13)
    for a, b, c in [(word, word, word), (0, word, 0), (2**63, 2**63, word), (word, 2**64 - 1, 2**63)]:
        y, kept = discrete_file._settle(run, law, (a, b, c))
        drawn = discrete_file._kept(run, law, np.array([[a], [b], [c]], np.uint64)).tolist()
        assert drawn == ([y] if kept else [])


@given(st.floats(2.0**-40, 2.0**40))
@settings(max_examples=300, deadline=None)
def test_no_candidate_is_likelier_than_its_cap(scale):
    for law in (discrete_file._gaussian(Fraction(scale)), discrete_file._laplace(Fraction(scale))):
        for v in range(80):
            fall = law.rate * (v * 2**law.width) ** law.power
            with localcontext(Context(prec=50)):
                log = v * Decimal(2).ln() - Decimal(fall.numerator) / Decimal(fall.denominator)
                assert log <= Decimal(law.cap).ln()


@given(st.floats(2.0**-40, 2.0**40))
@settings(max_examples=100, deadline=None)
def test_at_least_a_fifth_of_the_candidates_is_kept(scale):
    for law in (discrete_file._gaussian(Fraction(scale)), discrete_file._laplace(Fraction(scale))):
        kept = discrete_file._kept(Stream.unsafe_test_noise(14), law, words_of(15, 4000))
        assert len(kept) > 0.2 * 4000


def test_the_scale_is_taken_exactly():
    assert discrete_file._gaussian(Fraction(0.1)).rate == 1 / (2 * Fraction(0.1) ** 2) != Fraction(50)
    assert discrete_file._laplace(Fraction(10, 3)).rate == Fraction(3, 10)


@every_draw
def test_neighbours_are_not_correlated(draw):
    drawn = draw(Stream.unsafe_test_noise(16), 3.0, 1_000_000).astype(float)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.005


@every_draw
def test_two_streams_differ_and_one_stream_repeats(draw):
    first, second = (draw(Stream.unsafe_test_noise(seed), 1e9, 1000) for seed in (17, 18))
    assert not np.intersect1d(first, second).size
    assert np.array_equal(first, draw(Stream.unsafe_test_noise(17), 1e9, 1000))


@every_draw
def test_no_output_proves_which_of_two_neighbouring_counts_was_used(draw):
    n, sigma = 1_000_000, 8.0
    released = [count + draw(Stream.unsafe_test_noise(19 + count), sigma, n) for count in (0, 1)]
    assert all(outputs.dtype == np.int64 for outputs in released)
    bulk = [set(outputs[np.abs(outputs) <= 3.5 * sigma].tolist()) for outputs in released]
    assert bulk[0] == bulk[1] == set(range(-28, 29))


@every_draw
@pytest.mark.parametrize("shape", [0, 1, 7, (), (0, 3), (3, 5), (2, 3, 4), 20_000])
def test_any_shape_can_be_asked_for(draw, shape):
    drawn = draw(Stream.unsafe_test_noise(20), 2.0, shape)
    assert drawn.shape == (shape if isinstance(shape, tuple) else (shape,)) and drawn.dtype == np.int64


@every_draw
@pytest.mark.parametrize("shape", [-1, 1.5, True, None, (3, -1)])
def test_what_is_no_shape_is_refused(draw, shape):
    with pytest.raises(ParameterError, match="shape"):
        draw(Stream.fresh(), 1.0, shape)


@every_draw
@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf, 2.0**41, 2.0**-41, None, True, "1"])
def test_a_scale_out_of_range_is_refused(draw, scale):
    with pytest.raises(ParameterError, match="2\\^-40 to 2\\^40"):
        draw(Stream.fresh(), scale, 3)


@every_draw
def test_scales_may_be_whole_numbers_and_fractions(draw):
    drawn = [draw(Stream.unsafe_test_noise(21), scale, 50) for scale in (3, Fraction(3), 3.0, np.float64(3))]
    assert all(np.array_equal(drawn[0], other) for other in drawn)


@every_draw
def test_the_time_of_a_draw_tells_nothing_about_its_size(draw):
    run = Stream.fresh()
    times, sizes = np.empty(10_000), np.empty(10_000)
    for turn in range(10_000):
        start = time.perf_counter_ns()
        drawn = draw(run, 10.0, 1)
        times[turn] = time.perf_counter_ns() - start
        sizes[turn] = abs(drawn[0])
    assert abs(stats.spearmanr(times, sizes).statistic) < 0.05  # by chance once in two million runs
