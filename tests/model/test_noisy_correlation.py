import numpy as np
import pyarrow as pa
import pytest
from scipy.special import ndtri

import understudy as us
from understudy.model import noisy_correlation, noisy_margins
from understudy.privacy import Budget, Entry, Ledger, Vault, allot
from understudy.privacy.replay import recording
from understudy.table.columns import to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

BUDGET = Budget(epsilon=10.0, delta=1e-6)
ROWS = 20_000


def bought(arrow, flags=(), budget=BUDGET, *, with_tape=False):
    schema = Schema.infer(Table(arrow)).declare()
    asks = (*noisy_margins.asks(schema, 0.6), *noisy_correlation.asks(schema, 0.4))
    events, ledger = allot(asks, budget), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    vault = Vault(to_columns(arrow, schema), ledger, ledger.reserve(entries, budget))
    with recording() as tape:  # noise that comes back on the next run
        binned = noisy_margins.buy(vault, schema, events)
        found = noisy_correlation.buy(vault, binned, list(flags), events)
    return (found, tape) if with_tape else found


def normals(correlation, rows=ROWS, seed=0):
    return np.random.default_rng(seed).multivariate_normal(np.zeros(len(correlation)), correlation, rows)


TRUTH = np.array([[1.0, 0.7, -0.4], [0.7, 1.0, 0.0], [-0.4, 0.0, 1.0]])


def test_the_correlation_of_normal_columns_is_found():
    latent = normals(TRUTH)
    table = pa.table(
        {"a": latent[:, 0], "b": np.exp(latent[:, 1]), "c": np.rint(10 * latent[:, 2]).astype(int)}
    )
    assert bought(table) == pytest.approx(TRUTH, abs=0.05)


def test_ordered_levels_and_truth_values_are_correlated_without_bias():
    latent = normals(TRUTH)
    table = pa.table({"a": latent[:, 0], "b": latent[:, 1] > 0.5, "c": np.digitize(latent[:, 2], [-1, 0, 1])})
    assert bought(table) == pytest.approx(TRUTH, abs=0.07)


def test_missing_values_have_a_latent_of_their_own():
    latent = normals(TRUTH)
    holes = latent[:, 2] < -0.5
    table = pa.table({"a": latent[:, 0], "b": pa.array(latent[:, 1], mask=holes)})
    found = bought(table, flags=["b"])
    assert found.shape == (3, 3)
    assert found[0, 1] == pytest.approx(0.7, abs=0.06)
    assert found[0, 2] == pytest.approx(-0.4, abs=0.07)


@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_however_much_noise_there_is_what_comes_back_is_a_correlation(epsilon):
    found = bought(
        pa.table(dict(zip("abc", normals(TRUTH, 60).T, strict=True))), budget=Budget(epsilon=epsilon)
    )
    assert np.allclose(np.diag(found), 1)
    assert np.array_equal(found, found.T)
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_one_column_has_nothing_to_correlate_and_pays_nothing():
    table = pa.table({"a": normals(TRUTH, 60)[:, 0]})
    assert noisy_correlation.asks(Schema.infer(Table(table)), 1.0) == ()
    assert bought(table).tolist() == [[1.0]]


def test_a_column_that_is_never_there_is_correlated_with_nothing():
    table = pa.table({"a": pa.nulls(50, pa.float64()), "b": pa.nulls(50, pa.float64()), "c": [1.5] * 50})
    model = us.synth.get("gaussian_copula")().fit(
        table, budget=Budget(epsilon=200.0, delta=0.01), progress=False
    )
    assert np.isfinite(model.sampler.correlation).all()


def test_most_rows_are_shorter_than_the_clip():
    latent = normals(np.eye(6))
    table = pa.table(dict(zip("abcdef", latent.T, strict=True)))
    _, tape = bought(table, with_tape=True)
    mechanism = tape.steps[-1].mechanism
    ranks = np.argsort(np.argsort(latent, axis=0), axis=0) / ROWS
    left, right = np.triu_indices(6, k=1)
    scores = ndtri(np.clip(ranks, 1e-3, 1 - 1e-3))
    lengths = np.sqrt((scores[:, left] ** 2 * scores[:, right] ** 2).sum(axis=1))
    assert (lengths > mechanism.clip).mean() < 0.2


@pytest.mark.slow
def test_pairs_of_adult_are_closer_with_a_correlation_than_without(datasets):
    """At epsilon 1, end to end: the mean total variation over all pairs of columns, in 20 quantile bins."""
    table = us.read(datasets / "adult.csv.gz")
    real = table.to_pandas()
    errors = {}
    for name in ("histogram", "gaussian_copula"):
        model = us.synth.get(name)().fit(table, budget=Budget(epsilon=1.0, delta=1e-9), progress=False)
        errors[name] = pair_error(real, model.sample(len(real), seed=0).to_pandas())
    assert errors["gaussian_copula"] < 0.85 * errors["histogram"]
    assert errors["gaussian_copula"] < 0.1


def pair_error(real, fake):
    coded = [codes(real[name], fake[name]) for name in real.columns]
    gaps = []
    for place, (a, b, size) in enumerate(coded):
        for c, d, other in coded[place + 1 :]:
            shares = [
                np.bincount(x * other + y, minlength=size * other) / len(x) for x, y in ((a, c), (b, d))
            ]
            gaps.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(gaps))


def codes(real, fake):
    if real.dtype.kind in "if" and real.nunique() > 20:
        edges = np.unique(np.quantile(real.dropna(), np.linspace(0, 1, 21)))[1:-1]
        found = [
            np.searchsorted(edges, column.to_numpy(float, na_value=-1e99), side="right")
            for column in (real, fake)
        ]
        return *found, len(edges) + 1
    words = {word: place for place, word in enumerate({*real.astype(str), *fake.astype(str)})}
    return *(column.astype(str).map(words).to_numpy(int) for column in (real, fake)), len(words)
