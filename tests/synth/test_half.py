import numpy as np
import pyarrow as pa
import pytest

from understudy.synth.half import Half
from understudy.table.builtin import load

NUMBERS = pa.table({"n": np.random.default_rng(0).permutation(10_000)[:101] * 3})


@pytest.mark.parametrize("rows", [2, 3, 60, 101])
def test_exactly_half_of_the_rows_are_kept_rounded_down(rows):
    real = NUMBERS.slice(0, rows)
    fake = Half().fit(real, progress=False).sample(rows // 2)
    found = fake.column("n").to_pylist()
    assert len(set(found)) == rows // 2
    assert set(found) <= set(real.column("n").to_pylist())


def test_no_row_of_the_other_half_ever_comes():
    model = Half().fit(NUMBERS, progress=False)
    assert len(set(model.sample(5_000).column("n").to_pylist())) == 50


def test_the_seed_of_the_fit_decides_which_half():
    halves = [
        set(Half().fit(NUMBERS, seed=s, progress=False).sample(50).column("n").to_pylist()) for s in (1, 1, 2)
    ]
    assert halves[0] == halves[1] != halves[2]


def test_every_row_is_kept_about_every_second_time():
    kept = np.zeros(20)
    table = pa.table({"n": np.arange(20) ** 2})
    for seed in range(400):
        found = Half().fit(table, seed=seed, progress=False).sample(10).column("n").to_numpy()
        kept[np.sqrt(found).astype(int)] += 1
    assert (abs(kept - 200) < 50).all()  # five standard deviations of a fair coin


def test_rows_stay_whole():
    real = load("people", rows=100).to_arrow().drop_columns(["person_id"])
    fake = Half().fit(real, progress=False).sample(50)
    whole = set(map(repr, real.to_pylist()))
    assert all(repr(row) in whole for row in fake.to_pylist())
