"""Paper 002, Tables 1 and 2, to the printed digits, and an oracle of 50 digits."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.privacy.gaussian_synthesis import bounded, largest_order, ridge, to_epsilon, unbounded

DELTAS = (1e-2, 1e-5, 1e-10, 1e-15, 1e-20)
TABLE_2 = {
    (10**6, 2): "7.499 14.407 25.920 37.433 48.946 16.209 23.116 34.629 46.142 57.655",
    (10**6, 4): "7.341 9.644 13.482 17.319 21.157 24.893 27.195 31.033 34.871 38.708",
    (10**6, 7): "10.978 12.130 14.048 15.967 17.886 42.046 43.198 45.116 47.035 48.954",
    (10**6, 10): "15.170 15.937 17.217 18.496 19.775 60.070 60.838 62.117 63.396 64.675",
    (10**6, 20): "30.046 30.410 31.016 31.622 32.228 123.482 123.846 124.452 125.058 125.663",
    (10**6, 30): "45.624 45.863 46.260 46.657 47.054 191.710 191.948 192.345 192.742 193.139",
    (10**7, 2): "4.893 11.801 23.314 34.827 46.340 5.758 12.666 24.179 35.692 47.205",
    (10**7, 4): "2.112 4.414 8.252 12.089 15.927 3.842 6.145 9.982 13.820 17.658",
    (10**7, 7): "1.777 2.928 4.847 6.766 8.685 4.809 5.960 7.879 9.798 11.717",
    (10**7, 10): "1.954 2.722 4.001 5.280 6.559 6.291 7.058 8.337 9.617 10.896",
    (10**7, 20): "3.132 3.496 4.102 4.708 5.313 11.838 12.201 12.807 13.413 14.019",
    (10**7, 30): "4.500 4.739 5.136 5.533 5.930 17.608 17.846 18.243 18.640 19.037",
}


def test_table_1_is_reproduced_in_both_conditions():
    unbounded_row = [n * unbounded(4, n, 6, 0.01) for n in (10**4, 10**5, 10**6, 10**7)]
    # The paper prints 0.5764 where 0.57646 rounds to 0.5765: it truncates.
    assert unbounded_row == pytest.approx([3535.17, 62.5859, 5.8064, 0.57646], abs=5e-3, rel=2e-6)
    bounded_row = [n * bounded(4, n, 6, 0.01) for n in (10**5, 10**6, 10**7)]
    assert [round(value, 4) for value in bounded_row] == [266.7349, 23.3577, 2.3071]
    assert math.isinf(bounded(4, 10**4, 6, 0.01))


@pytest.mark.parametrize(("n", "alpha"), TABLE_2)
def test_table_2_is_reproduced_to_the_printed_digits(n, alpha):
    found = [
        f"{to_epsilon(n * bound(alpha, n, 6, 0.01), alpha, delta):.3f}"
        for bound, delta in itertools.product((unbounded, bounded), DELTAS)
    ]
    assert found == TABLE_2[n, alpha].split()


def test_the_limits_of_the_order_are_those_printed_for_ten_thousand_rows():
    c = largest_order(10**4, 6, 0.01)
    assert c == pytest.approx(4.16799, abs=1e-5)
    assert c**2 / (2 * c - 1) == pytest.approx(2.36807, abs=1e-5)
    assert math.isinf(unbounded(4.17, 10**4, 6, 0.01))
    assert math.isinf(bounded(2.37, 10**4, 6, 0.01))
    assert math.isfinite(bounded(2.36, 10**4, 6, 0.01))


@pytest.mark.parametrize("n", [10**4, 10**5, 10**6, 10**7])
@pytest.mark.parametrize("alpha", [2.0, 4.0])
def test_float64_agrees_with_fifty_digits(n, alpha):
    mpmath.mp.dps = 50
    tau, d, size, a = mpmath.mpf(4 * 6) / mpmath.mpf("0.01"), 6, mpmath.mpf(n), mpmath.mpf(alpha)
    log = mpmath.log
    one = a / 2 * tau / ((size + 1) * (size + 1 - a)) + a * d / (2 * (a - 1)) * log(size / (size + 1))
    one -= d / (2 * (a - 1)) * log(1 - a / (size + 1))
    first = (1 + a * size * tau / ((size + 1) * (size + 1 - a))) / (1 + tau / (size + 1)) ** a
    one -= log(min(mpmath.mpf(1), first)) / (2 * (a - 1))
    two = a / 2 * tau / (size * (size + a) - a * (size + 1) * tau) + a * d / (2 * (a - 1)) * log(
        (size + 1) / size
    )
    two -= d / (2 * (a - 1)) * log(1 + a / size)
    second = (1 - a * (size + 1) * tau / ((size + a) * size)) / (1 - tau / size) ** a
    two -= log(min(mpmath.mpf(1), second)) / (2 * (a - 1))
    assert unbounded(alpha, n, 6, 0.01) == pytest.approx(float(max(one, two)), rel=1e-9)


def test_the_leading_term_is_alpha_tau_squared_over_four_n():
    n, tau = 10**7, 2400
    assert n * unbounded(4, n, 6, 0.01) == pytest.approx(4 * (tau**2 + 6) / (4 * n), rel=2e-3)


def test_the_bound_grows_with_the_order_and_falls_with_the_rows():
    by_order = [unbounded(alpha, 10**6, 6, 0.01) for alpha in (1.5, 2, 4, 8, 16)]
    assert by_order == sorted(by_order)
    by_rows = [unbounded(4, n, 6, 0.01) for n in (10**5, 10**6, 10**7)]
    assert by_rows == sorted(by_rows, reverse=True)


def renyi_of_normals(alpha, first, second):
    """Renyi divergence of two normals in closed form."""
    (mean_p, cov_p), (mean_q, cov_q) = first, second
    mixed = alpha * cov_q + (1 - alpha) * cov_p
    if np.linalg.eigvalsh(mixed)[0] <= 0:
        return math.inf
    gap = mean_p - mean_q
    dets = (
        np.linalg.slogdet(mixed)[1]
        - (1 - alpha) * np.linalg.slogdet(cov_p)[1]
        - alpha * np.linalg.slogdet(cov_q)[1]
    )
    return alpha / 2 * gap @ np.linalg.solve(mixed, gap) - dets / (2 * (alpha - 1))


def test_ridge_bounds_the_divergence_of_every_pair_of_tables_tried():
    rng = np.random.default_rng(0)
    for trial in range(400):
        n, d, sigma, alpha = (
            int(rng.integers(60, 400)),
            int(rng.integers(1, 4)),
            0.5,
            float(rng.uniform(1.1, 3)),
        )
        rows = np.clip(rng.normal(0, rng.choice([0.01, 0.3, 1.0]), (n, d)), -1, 1)
        extreme = np.sign(rng.normal(size=d)) if trial % 2 else rng.uniform(-1, 1, d)
        small, large = rows, np.vstack([rows, extreme])
        fits = [
            (t.mean(axis=0), np.cov(t.T, bias=True).reshape(d, d) + sigma * np.eye(d)) for t in (small, large)
        ]
        bound = ridge(alpha, n, d, sigma)
        for first, second in (fits, fits[::-1]):
            assert renyi_of_normals(alpha, first, second) <= bound + 1e-12


@pytest.mark.parametrize(
    "arguments",
    [
        (1.0, 100, 6, 0.01),
        (math.nan, 100, 6, 0.01),
        (2.0, 1, 6, 0.01),
        (2.0, 100, 0, 0.01),
        (2.0, 100, 6, 0.0),
    ],
)
def test_impossible_arguments_are_refused(arguments):
    for bound in (unbounded, bounded, ridge):
        with pytest.raises(ParameterError):
            bound(*arguments)


def test_a_delta_outside_the_unit_interval_is_refused():
    for delta in (0.0, 1.0, -1.0):
        with pytest.raises(ParameterError):
            to_epsilon(1.0, 2.0, delta)
