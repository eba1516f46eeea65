import numpy as np

from engines.marginals.joint import joint_of, marginal_of
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.descent import Measured
from understudy.engines.marginals.products import _slope, fit_products, start_products

SIZES = (3, 4, 2)
PAIRS = [(0, 1), (1, 2), (0, 2)]


def rows(n=5_000):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(0, 2, n)) % 4
    return [first, second, (second > rng.integers(0, 4, n)).astype(int)]


def measured_tables():
    cliques = [(0,), (1,), (2,), *PAIRS]
    return [Measured(of, count(rows(), of, SIZES), 1.0) for of in cliques]


def test_tables_that_fit_together_are_met():
    measured = measured_tables()
    start = start_products(measured[:3], 5_000.0, 20, np.random.default_rng(1))
    found = fit_products(start, measured, 1_000)
    for each, table in zip(measured, found.tables([m.of for m in measured]), strict=True):
        assert np.abs(table - each.table).sum() < 0.03 * 5_000


def test_the_slope_is_that_of_the_loss():
    measured, rng = measured_tables(), np.random.default_rng(2)
    start = start_products(measured[:3], 5_000.0, 4, rng)

    def loss(logits):
        found = type(start)(logits, start.sizes, start.total).tables([m.of for m in measured])
        gaps = [table - m.table for table, m in zip(found, measured, strict=True)]
        return 0.5 * sum(float((gap**2).sum()) for gap in gaps)

    along = rng.normal(size=start.logits.shape)
    numeric = (loss(start.logits + 1e-5 * along) - loss(start.logits - 1e-5 * along)) / 2e-5
    # The slope leaves out what all components share: total squared over their number.
    told = float((_slope(start, measured) * along).sum()) * start.total**2 / len(start.logits)
    assert np.isclose(numeric, told, rtol=1e-4)


def test_the_tree_around_the_component_is_the_same_distribution():
    measured = measured_tables()
    products = start_products(measured[:3], 5_000.0, 5, np.random.default_rng(3))
    joint = joint_of(products.tree())
    for of, table in zip(PAIRS, products.tables(PAIRS), strict=True):
        assert np.allclose(marginal_of(joint, of), table)
