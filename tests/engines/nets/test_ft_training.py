import numpy as np
import pytest

torch = pytest.importorskip("torch")

from understudy.engines.nets.ft_training import Cells, Training, fit  # noqa: E402
from understudy.engines.nets.ft_transformer import Size  # noqa: E402

SMALL = Training(size=Size(width=16, heads=2, blocks=2), rate=3e-3, batch=64, epochs=20)


def cells(rows, seed=0):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, 2))
    numbers[rng.random((rows, 2)) < 0.1] = np.nan
    return Cells(numbers, rng.integers(-1, 3, size=(rows, 1)), (3,))


def test_it_learns_what_a_number_means_in_each_level():
    learned, tried = cells(1_500), cells(500, seed=1)

    def labels(of):
        return (np.nan_to_num(of.numbers[:, 0]) * np.where(of.codes[:, 0] > 0, 1, -1) > 0).astype(
            np.int64
        ) * 4 + 3

    model = fit(learned, labels(learned), SMALL, np.random.default_rng(0))
    assert (model.predict(tried) == labels(tried)).mean() > 0.93


def test_it_learns_that_a_cell_is_missing():
    learned, tried = cells(800), cells(300, seed=1)
    wanted = lambda of: (np.isnan(of.numbers[:, 1]) | (of.codes[:, 0] == -1)).astype(np.int64)
    model = fit(learned, wanted(learned), SMALL, np.random.default_rng(0))
    assert (model.predict(tried) == wanted(tried)).mean() > 0.97


def test_numbers_are_predicted_in_their_own_unit():
    learned, tried = cells(800), cells(300, seed=1)
    wanted = lambda of: 5_000 + 300 * np.nan_to_num(of.numbers[:, 0])
    guess = fit(learned, wanted(learned), SMALL, np.random.default_rng(0)).predict(tried)
    assert np.sqrt(np.mean((guess - wanted(tried)) ** 2)) < 60


def test_a_seed_decides_everything_and_nothing_global_changes():
    learned, labels = cells(200), np.random.default_rng(3).integers(2, size=200)
    short = Training(size=SMALL.size, epochs=3)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    guesses = [
        fit(learned, labels + 0.0, short, np.random.default_rng(seed)).predict(learned) for seed in (1, 1, 2)
    ]
    assert np.array_equal(guesses[0], guesses[1])
    assert not np.array_equal(guesses[0], guesses[2])
    assert torch.equal(state, torch.get_rng_state()) and threads == torch.get_num_threads()


def test_training_ends_early_where_there_is_nothing_to_learn():
    labels = np.random.default_rng(3).integers(2, size=300)
    model = fit(
        cells(300), labels, Training(size=SMALL.size, rate=1e-2, patience=2), np.random.default_rng(0)
    )
    assert model.epochs < 30


def test_a_handful_of_rows_is_enough():
    model = fit(cells(3), np.array([0, 1, 1]), Training(size=SMALL.size, epochs=2), np.random.default_rng(0))
    assert set(model.predict(cells(10)).tolist()) <= {0, 1}


def test_levels_that_were_never_met_are_predicted_for_too():
    model = fit(cells(50), np.arange(50) % 2, Training(size=SMALL.size, epochs=1), np.random.default_rng(0))
    odd = Cells(np.zeros((4, 2)), np.full((4, 1), 77), (3,))
    assert len(model.predict(odd)) == 4
