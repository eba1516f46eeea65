import numpy as np
import pyarrow as pa

from understudy.model import noisy_margins
from understudy.model.merged import bins_that_pay, exact_tables, fitting_cells, noisy_tables
from understudy.model.outlook import ROOM
from understudy.privacy import Budget, Entry, Ledger, Vault, allot
from understudy.table.columns import to_columns
from understudy.table.schema import Schema


def table(n=3_000):
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "amount": np.where(rng.random(n) < 0.4, 0, rng.integers(1, 1_000, n)),
            "size": rng.normal(size=n),
            "town": [f"t{min(v, 30)}" for v in rng.geometric(0.3, n)],
        }
    )


def test_exact_cells_keep_a_heavy_value_by_itself_and_at_most_so_many_bins():
    rows = table()
    schema = Schema.infer(rows)
    tables = exact_tables(Vault(to_columns(rows, schema), Ledger()), schema, fine=100, bins=16)
    assert tables.sizes[0] <= 18 and tables.sizes[1] <= 18
    codes = tables.codes[0]
    assert len(set(codes[rows["amount"].to_numpy() == 0].tolist())) == 1
    zero = codes[rows["amount"].to_numpy() == 0][0]
    assert (rows["amount"].to_numpy()[codes == zero] == 0).all()
    assert sum(each.table.sum() for each in tables.one_way) == 3 * 3_000 == 3 * tables.rows


def test_noisy_cells_are_fewer_where_noise_is_larger():
    rows = table()
    schema = Schema.infer(rows).declare()

    def sizes(epsilon):
        asks, ledger = noisy_margins.asks(schema, 1.0), Ledger()
        budget = Budget(epsilon=epsilon, delta=1e-6)
        events = allot(asks, budget)
        entries = [Entry(ask.what, ask.phase, events[ask.name], ask.columns, name=ask.name) for ask in asks]
        vault = Vault(to_columns(rows, schema), ledger, ledger.reserve(entries, budget))
        tables = noisy_tables(vault, schema, events, bins=32, pair_noise=0.0)
        assert abs(tables.rows - 3_000) < 2_000
        return tables.sizes

    coarse, fine = sizes(0.3), sizes(30.0)
    assert sum(coarse) < sum(fine)
    assert coarse[2] < fine[2]  # rare towns share a cell


def test_a_level_stands_by_itself_with_half_the_rows_that_a_bin_needs():
    counts = np.array([500.0, 60.0, 60.0, 40.0, 40.0, 0.0])
    cells = fitting_cells({"level": (counts, None), "bin": (counts, np.arange(6))}, least=100.0, bins=8)
    assert cells["level"].merged.tolist()[:5] == [0, 1, 2, 3, 3]
    assert cells["bin"].merged.tolist()[:5] == [0, 1, 1, 1, 1]


def test_bins_are_few_beside_noise_and_grow_with_rows_up_to_what_was_asked_for():
    assert bins_that_pay(856, 20.0, 32) == bins_that_pay(1, 1e9, 32) == 8
    assert bins_that_pay(8_710, 35.0, 32) < bins_that_pay(87_100, 35.0, 32) < 32
    assert bins_that_pay(1e12, 1.0, 32) == bins_that_pay(856, 0.0, 32) == 32
    assert bins_that_pay(856, 20.0, 4) == 4


def test_columns_of_very_many_levels_keep_the_fullest_so_that_all_pairs_fit():
    rng = np.random.default_rng(1)
    rows = pa.table({name: [f"{name}{v}" for v in rng.zipf(1.2, 20_000) % 9_000] for name in "abcd"})
    schema = Schema.infer(rows)
    schema = schema.model_copy(
        update={"columns": tuple(c.model_copy(update={"kind": "categorical"}) for c in schema.columns)}
    )
    tables = exact_tables(Vault(to_columns(rows, schema), Ledger()), schema, fine=100, bins=16)
    sizes = tables.sizes
    assert sum(a * b for place, a in enumerate(sizes) for b in sizes[place + 1 :]) <= ROOM
    assert min(sizes) > 1_000
    assert sum(each.table.sum() for each in tables.one_way) == 4 * 20_000
