"""Margins are kept, a planted latent correlation comes back, and conditions are exact."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import norm, spearmanr

from synth.truth import same_levels, same_margin, same_numbers
from understudy.errors import NothingMatches
from understudy.synth.gaussian_copula import GaussianCopula, _ordering_rows
from understudy.table.builtin import load
from understudy.table.schema import Bounds, Column, Schema

ROWS = 20_000


def latent(rho, seed=0, rows=ROWS):
    noise = np.random.default_rng(seed).standard_normal((rows, 2))
    return noise[:, 0], rho * noise[:, 0] + np.sqrt(1 - rho**2) * noise[:, 1]


def continuous(z):
    return np.exp(z)


def five_grades(z):
    return 1 + np.searchsorted([-1.2, -0.2, 0.5, 1.5], z)


def counts(z):
    return np.floor(30 * norm.cdf(z)).astype(int)


def rare_truth(z):
    return z > 1.2


def fit(table, **settings):
    return GaussianCopula(**settings).fit(table, progress=False)


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.3, 0.9])
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (continuous, continuous), (continuous, five_grades), (five_grades, five_grades),
        (counts, five_grades), (continuous, rare_truth), (five_grades, rare_truth),
    ],
)  # fmt: skip
def test_a_planted_latent_correlation_comes_back_for_every_pair_of_kinds(one, two, rho):
    x, y = latent(rho)
    found = fit(pa.table({"x": one(x), "y": two(y)})).sampler.correlation[0, 1]
    assert abs(found - rho) < 0.035


def test_rank_correlation_of_the_sample_is_that_of_the_table():
    x, y = latent(0.6, seed=1)
    table = pa.table({"x": continuous(x), "y": counts(y)})
    fake = fit(table).sample(ROWS, seed=1)
    wanted, found = (
        spearmanr(t.column("x").to_numpy(), t.column("y").to_numpy()).statistic for t in (table, fake)
    )
    assert abs(wanted - found) < 0.03


def test_margins_are_kept():
    real = load("people", rows=2_000).to_arrow()
    fake = fit(real).sample(8_000, seed=2)
    for name in ("sex", "education", "sector", "town", "member"):
        assert same_margin(real.column(name).to_pylist(), fake.column(name).to_pylist()), name
    for name in ("income", "height_cm", "age"):
        assert same_numbers(*(t.column(name).drop_null().to_numpy() for t in (real, fake))), name


def test_values_that_go_missing_together_still_do():
    rng = np.random.default_rng(3)
    z = rng.standard_normal(ROWS)
    gone = z + 0.3 * rng.standard_normal(ROWS) > 0.6
    columns = {"x": rng.normal(size=ROWS), "y": rng.normal(size=ROWS)}
    table = pa.table({"z": z, **{name: pa.array(values, mask=gone) for name, values in columns.items()}})
    fake = fit(table).sample(ROWS, seed=3)
    real_gone, fake_gone = (np.asarray(pc.is_null(t.column("x"))) for t in (table, fake))
    both = (fake_gone & np.asarray(pc.is_null(fake.column("y")))).mean()
    assert abs(fake_gone.mean() - real_gone.mean()) < 0.02
    assert both > 0.9 * fake_gone.mean()
    wanted, found = (t.column("z").to_numpy()[g].mean() for t, g in ((table, real_gone), (fake, fake_gone)))
    assert abs(wanted - found) < 0.05


@pytest.fixture(scope="module")
def related():
    """A table of dependent columns, its model, and a large unconditional sample to compare with."""
    x, y = latent(0.7, seed=4)
    w, v = latent(-0.5, seed=5)
    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "x": np.round(50 + 10 * x, 1),
            "grade": five_grades(0.6 * y + 0.8 * w),
            "word": np.array(["red", "green", "blue", "grey"])[np.searchsorted([-0.5, 0.3, 1.1], y)],
            "truth": rare_truth(v),
            "y": pa.array(np.exp(y), mask=(w + rng.standard_normal(ROWS)) > 1),
        }
    )
    model = fit(table)
    return model, model.sample(300_000, seed=7)


def accepted(free, where):
    keep = np.ones(free.num_rows, dtype=bool)
    for name, wanted in where.items():
        values = free.column(name)
        if wanted is None:
            keep &= np.asarray(pc.is_null(values))
        elif isinstance(wanted, tuple):
            inside = pc.and_(pc.greater_equal(values, wanted[0]), pc.less_equal(values, wanted[1]))
            keep &= np.asarray(pc.fill_null(inside, False))
        else:
            levels = wanted if isinstance(wanted, list) else [wanted]
            keep &= np.asarray(pc.is_in(values, pa.array(levels, values.type)))
    return free.filter(pa.array(keep))


@pytest.mark.parametrize(
    "where",
    [
        {"word": "red"},
        {"word": ["red", "grey"]},
        {"x": (60.0, 65.0)},
        {"x": (73.0, 1000.0)},
        {"grade": (4, 5)},
        {"truth": True},
        {"y": None},
        {"y": (0.5, 1.0)},
        {"word": "blue", "x": (40.0, 55.0)},
        {"y": (1.0, 3.0), "truth": False, "grade": (2, 3)},
        {"y": None, "word": "green", "x": (45.0, 60.0)},
    ],
    ids=str,
)
def test_conditioning_is_the_exact_conditional_distribution(related, where):
    model, free = related
    wanted, found = accepted(free, where), model.sample(6_000, seed=8, where=where)
    assert wanted.num_rows > 500
    assert accepted(found, where).num_rows == found.num_rows
    for name in ("grade", "word", "truth"):
        assert same_levels(wanted.column(name).to_pylist(), found.column(name).to_pylist()), name
    for name in ("x", "y"):
        one, two = (t.column(name).drop_null().to_numpy() for t in (wanted, found))
        assert len(one) == len(two) == 0 or same_numbers(one, two), name
    gone = [np.asarray(pc.is_null(t.column("y"))) for t in (wanted, found)]
    assert same_levels(*gone)


def test_the_comparison_would_notice_a_condition_that_leaves_the_rest_alone(related):
    model, free = related
    found = model.sample(6_000, seed=9)
    assert not same_levels(
        accepted(free, {"x": (60.0, 65.0)}).column("word").to_pylist(), found.column("word").to_pylist()
    )


def explained(table):
    """Return how much of the variance of x the levels of s explain."""
    x, s = table.column("x").to_numpy(), np.array(table.column("s").to_pylist())
    means = np.array([x[s == level].mean() for level in s])
    return means.var() / x.var()


def test_ordering_levels_keeps_what_no_ordering_loses():
    rng = np.random.default_rng(10)
    level = rng.integers(0, 8, 6_000)
    height = np.array([0, 7, 2, 5, 1, 6, 3, 4])[level]  # the alphabet says nothing about the height
    table = pa.table({"s": [f"level {v}" for v in level], "x": height + rng.normal(size=6_000)})
    ordered, plain = (
        explained(fit(table, order_levels=flag).sample(6_000, seed=11)) for flag in (True, False)
    )
    assert explained(table) > 0.8
    assert ordered > 0.7
    assert plain < 0.4


def test_ordered_levels_keep_their_order():
    x, y = latent(0.8, seed=12)
    model = fit(pa.table({"grade": five_grades(x), "y": y}))
    assert model.sampler.margins["grade"].codes.tolist() == [0, 1, 2, 3, 4, -1]


def test_columns_that_never_vary_do_not_disturb_the_others():
    x, y = latent(0.0, seed=13)
    one = pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, dtype=np.int8)), pa.array(["only"]))
    half = pa.array([1.5] * ROWS, mask=np.arange(ROWS) % 2 == 0)
    model = fit(pa.table({"x": x, "s": one, "y": y, "h": half, "t": [True] * ROWS}))
    assert abs(model.sampler.correlation[0, 2]) < 0.03
    assert set(model.sample(50).column("s").to_pylist()) == {"only"}


def test_perfectly_dependent_columns_stay_so_as_far_as_a_copula_can():
    x, _ = latent(0.0, seed=14)
    table = pa.table({"x": x, "same": x * 2, "opposite": -x})
    fake = fit(table).sample(5_000, seed=15)
    assert spearmanr(fake.column("x").to_numpy(), fake.column("same").to_numpy()).statistic > 0.98
    assert spearmanr(fake.column("x").to_numpy(), fake.column("opposite").to_numpy()).statistic < -0.98


def test_more_columns_than_rows_are_fitted():
    rng = np.random.default_rng(16)
    table = pa.table({f"x{i}": rng.normal(size=25) for i in range(60)})
    fake = fit(table).sample(40, seed=17)
    assert fake.num_columns == 60
    assert all(np.isfinite(fake.column(i).to_numpy()).all() for i in range(60))


def test_the_same_rows_come_whatever_the_blocks():
    x, y = latent(0.5, seed=18, rows=500)
    model = fit(pa.table({"x": x, "y": y}))
    many = model.sample(150_000, seed=19)
    assert many.num_rows == 150_000
    assert same_numbers(
        many.slice(0, 65_536).column("x").to_numpy(), many.slice(65_536).column("x").to_numpy()
    )
    assert abs(np.corrcoef(many.column("x").to_numpy(), many.column("y").to_numpy())[0, 1] - 0.5) < 0.1


def test_a_condition_that_cannot_be_met_names_its_column(related):
    model, _ = related
    with pytest.raises(NothingMatches, match="column 'x': no mass in that range"):
        model.sample(1, where={"x": (500, 600)})
    with pytest.raises(NothingMatches, match="column 'x' was never missing"):
        model.sample(1, where={"x": None})


def test_a_quantity_that_was_never_there_is_missing_when_asked():
    schema = Schema(
        columns=(
            Column(name="n", kind="numerical", type="int64", resolution=1.0, bounds=Bounds(low=0, high=9)),
            Column(name="x", kind="numerical", type="double"),
        )
    )
    table = pa.table({"n": pa.nulls(30, pa.int64()), "x": np.random.default_rng(20).normal(size=30)})
    model = GaussianCopula().fit(table, schema=schema, progress=False)
    assert model.sample(5, where={"n": None}).column("n").null_count == 5
    with pytest.raises(NothingMatches):
        model.sample(5, where={"n": (1, 2)})


def test_orders_are_learned_from_fewer_rows_of_wider_tables():
    assert _ordering_rows(15, 9) == 50_000
    assert _ordering_rows(1_000, 500) == 2_000
    assert _ordering_rows(200, 0) == 20_000
    assert _ordering_rows(3_000, 3_000) * 3_000 < 10**7


def test_more_rows_than_a_block_all_lie_in_six_narrow_ranges():
    rng = np.random.default_rng(4)
    base = rng.normal(size=3_000)
    table = pa.table({f"z{i}": base + 0.1 * rng.normal(size=3_000) for i in range(6)})
    where = {f"z{i}": (1.5, 1.6) if i % 2 else (1.7, 1.8) for i in range(6)}
    drawn = GaussianCopula().fit(table, progress=False).sample(70_000, seed=1, where=where)
    assert drawn.num_rows == 70_000
    for name, (low, high) in where.items():
        ends = pc.min_max(drawn[name]).as_py()
        assert low <= ends["min"] <= ends["max"] <= high


def test_a_few_hundred_columns_keep_a_strong_pair_among_noise():
    rng = np.random.default_rng(5)
    columns = {f"c{i}": rng.normal(size=400) for i in range(300)}
    columns["twin"] = columns["c7"] + 0.3 * rng.normal(size=400)
    drawn = GaussianCopula().fit(pa.table(columns), progress=False).sample(2_000, seed=1)
    assert np.corrcoef(drawn["c7"], drawn["twin"])[0, 1] > 0.85  # 0.958 was planted
