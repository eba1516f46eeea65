import numpy as np
import pyarrow as pa

from understudy.synth.copy import Copy
from understudy.table.builtin import load

MADE = {"person_id"}


def rows_of(table):
    kept = table.select([name for name in table.schema.names if name not in MADE])
    return sorted(map(repr, kept.to_pylist()))


def test_as_many_rows_as_there_were_are_each_row_once():
    real = load("people", rows=300)
    fake = Copy().fit(real, progress=False).sample(300, seed=1)
    assert rows_of(fake.to_arrow()) == rows_of(real.to_arrow())


def test_twice_as_many_rows_are_each_row_twice():
    real = load("people", rows=50)
    fake = Copy().fit(real, progress=False).sample(100, seed=1)
    assert rows_of(fake.to_arrow()) == sorted(rows_of(real.to_arrow()) * 2)


def test_the_order_follows_the_seed_and_not_the_table():
    real = pa.table({"n": np.arange(100) * 7})
    model = Copy().fit(real, progress=False)
    one, two = (model.sample(100, seed=seed).column("n").to_pylist() for seed in (1, 2))
    assert one != two
    assert one != real.column("n").to_pylist()
    assert sorted(one) == sorted(two)


def test_ids_are_not_copied_even_here():
    real = load("people", rows=300)
    fake = Copy().fit(real, progress=False).sample(300, seed=1)
    ids = [set(table.to_arrow().column("person_id").to_pylist()) for table in (real, fake)]
    assert len(ids[0] & ids[1]) < 3


def test_large_whole_numbers_and_floats_come_back_to_the_last_bit():
    real = pa.table(
        {"n": [2**61 + k * 12345 for k in range(30)], "x": np.random.default_rng(0).normal(size=30)}
    )
    fake = Copy().fit(real, progress=False).sample(30)
    assert sorted(fake.column("n").to_pylist()) == sorted(real.column("n").to_pylist())
    assert sorted(fake.column("x").to_pylist()) == sorted(real.column("x").to_pylist())


def test_the_certificate_admits_that_every_row_is_kept():
    certificate = Copy().fit(load("people", rows=50), progress=False).certificate
    assert certificate.status == "none"
    assert certificate.entries[-1].what == "every row, kept as it is"
