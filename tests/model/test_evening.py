"""Rows that agree, together, with what was counted of columns and pairs."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from understudy.codec import Layout, Part, Style, plan
from understudy.engines.twins import Twin
from understudy.model.evening import Evening, fields_of
from understudy.model.matrix_sampler import STYLE
from understudy.privacy import Ledger, Vault
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema

ROWS = 4_000


def quantity(name, missing=0.0):
    return Column(
        name=name,
        kind="numerical",
        type="double",
        bounds=Bounds(low=-99, high=99),
        missing=Missing(rate=missing),
    )


def word(name):
    levels = Levels(values=("a", "b"))
    return Column(name=name, kind="categorical", type="string", levels=levels, missing=Missing(rate=0.0))


def counted(columns, style: Style = STYLE):
    schema = Schema(
        columns=tuple(word(n) if v.dtype.kind == "i" else quantity(n) for n, v in columns.items())
    )
    rng = np.random.default_rng(0)
    codec = plan(schema, style).fit(Vault(columns, Ledger()), rng)
    matrix = codec.encode(columns, rng)
    return codec, matrix, Evening.seen(codec, columns, matrix)


def test_flags_are_codes_of_two_behind_the_codes():
    parts = [
        ("n", Part("number", 1)),
        ("n", Part("flag", 1)),
        ("w", Part("code", 1, 5)),
        ("x", Part("number", 1)),
    ]
    fields = fields_of(Layout.of(parts))
    assert (fields.numbers, fields.codes, fields.sizes) == ((0, 3), (2, 1), (5, 2))


def test_pairs_of_levels_are_as_common_as_they_were():
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, ROWS).astype(np.int32)
    second = np.where(rng.random(ROWS) < 0.8, first, 1 - first).astype(np.int32)
    codec, matrix, evening = counted({"a": first, "b": second})
    agreed = float((first == second).mean())
    drawn = matrix[rng.permutation(ROWS)]
    drawn[: ROWS // 15, 1] = 1 - drawn[: ROWS // 15, 0]  # a network that is off by some percent
    rows = round(ROWS / 1.15)
    found = evening(codec, drawn.copy(), rows, rng)
    off = [abs(float((each[:, 0] == each[:, 1]).mean()) - agreed) for each in (drawn, found)]
    assert off[0] > 0.03 and off[1] < off[0] / 4 and len(found) == rows


def test_levels_that_never_go_together_are_not_kept_together():
    rng = np.random.default_rng(5)
    kind, grade = rng.integers(0, 2, (2, ROWS)).astype(np.int32)
    codec, matrix, evening = counted({"kind": kind, "grade": (kind * grade).astype(np.int32)})
    drawn = matrix[rng.permutation(ROWS)]
    drawn[: ROWS // 25] = [0, 1]  # a network that does not know of it
    found = evening(codec, drawn, round(ROWS / 1.15), rng)
    assert not (found[:, 1] > found[:, 0]).any()


def test_a_number_follows_the_one_that_tells_it():
    rng = np.random.default_rng(2)
    area = rng.lognormal(size=ROWS)
    codec, matrix, evening = counted({"area": area, "log": np.log(area).round(3), "other": rng.random(ROWS)})
    assert evening.twins == (Twin(0, 1, 1),)
    drawn = matrix[rng.permutation(ROWS)] + rng.normal(size=matrix.shape).astype(np.float32) / 20
    found = codec.decode(evening(codec, drawn, ROWS, rng), rng)
    order = np.argsort(found["area"])
    assert (np.diff(found["log"][order]) >= 0).all()
    off = np.abs(np.exp(found["log"]) / found["area"] - 1)
    assert np.quantile(off, 0.99) < 0.01  # between knots far out in the tail both are interpolated


def test_within_a_budget_nothing_is_known_of_pairs():
    assert Evening((np.array([0.5, 0.5]),)).pairs == ()


@pytest.mark.parametrize(("evening", "drawn"), [(Evening(), 1_000), (Evening((np.ones(1),)), 1_150)])
def test_more_rows_are_drawn_only_where_some_are_left_out(evening, drawn):
    assert evening.more(1_000) == drawn


def test_a_number_that_may_be_missing_follows_none():
    rng = np.random.default_rng(3)
    value = rng.random(ROWS)
    gone = np.where(rng.random(ROWS) < 0.2, np.nan, value)
    columns = {"x": value, "y": gone}
    schema = Schema(columns=(quantity("x"), quantity("y", 0.2)))
    codec = plan(schema, STYLE).fit(Vault(columns, Ledger()), rng)
    assert Evening.seen(codec, columns, codec.encode(columns, rng)).twins == ()


def test_a_value_that_most_rows_have_is_as_common_as_it_was_where_numbers_are_distances_from_modes():
    rng = np.random.default_rng(4)
    gain = np.where(rng.random(ROWS) < 0.9, 0.0, rng.exponential(1e4, ROWS))
    style = Style(numbers="modes", levels="codes")
    codec, matrix, evening = counted({"gain": gain / 1e4}, style)
    drawn = matrix[rng.permutation(ROWS)]
    drawn[:, 0] = rng.normal(size=ROWS) / 4  # a network that knows of modes alone
    found = codec.decode(evening(codec, drawn, round(ROWS / 1.15), rng), rng)["gain"]
    assert abs((found == 0).mean() - (gain == 0).mean()) < 0.005
    assert ((found > 0) & (found < 1e-3)).mean() < 0.002


def test_codes_that_no_row_had_are_known_where_rows_were_counted():
    columns = {"a": np.zeros(ROWS, np.int32), "n": np.linspace(-1.0, 1.0, ROWS)}
    codec, _, evening = counted(columns)
    assert {name: had.tolist() for name, had in evening.met(codec).items()} == {"a": [True, False]}
    assert Evening(evening.shares).met(codec) == {}  # bought: a share of nought may be noise
    tensors, facts = evening.state()
    assert Evening.restore(tensors, facts).met(codec)["a"].tolist() == [True, False]


def test_a_number_that_may_be_missing_and_never_was_has_a_flag_that_no_row_had():
    schema = Schema(columns=(quantity("n", missing=0.5),))
    columns = {"n": np.linspace(-1.0, 1.0, ROWS)}
    rng = np.random.default_rng(0)
    codec = plan(schema, STYLE).fit(Vault(columns, Ledger()), rng)
    evening = Evening.seen(codec, columns, codec.encode(columns, rng))
    assert evening.met(codec)["n"].tolist() == [True, False]


def gapped(values, gone, style):
    """Return a codec, the matrix and the evening of a number that is missing where it is said to be."""
    columns = {"n": np.where(gone, np.nan, values)}
    schema = Schema(columns=(quantity("n", missing=float(gone.mean())),))
    rng = np.random.default_rng(0)
    codec = plan(schema, style).fit(Vault(columns, Ledger()), rng)
    matrix = codec.encode(columns, rng)
    return codec, matrix, Evening.seen(codec, columns, matrix)


def present(codec, evening, drawn, rng):
    found = codec.decode(evening(codec, drawn, round(len(drawn) / 1.15), rng), rng)["n"]
    return found[~np.isnan(found)]


@pytest.mark.parametrize("numbers", ["quantile_normal", "modes"])
def test_what_stands_where_a_number_is_missing_has_no_part_in_the_law_of_those_that_are_there(numbers):
    """A network draws what it likes there, as its critic never sees it, and is off elsewhere."""
    rng = np.random.default_rng(6)
    values, gone = rng.normal(50, 5, ROWS), rng.random(ROWS) < 0.4
    codec, matrix, evening = gapped(values, gone, Style(numbers=numbers, levels="codes"))
    drawn = matrix[rng.permutation(ROWS)]
    drawn[:, 0] += np.where(drawn[:, -1] > 0.5, 9.0, 0.2)
    found = present(codec, evening, drawn, rng)
    assert ks_2samp(found, values[~gone]).statistic < 0.02


def test_a_spike_stays_one_in_a_column_with_gaps():
    rng = np.random.default_rng(7)
    values = np.where(rng.random(ROWS) < 0.9, 0.0, rng.exponential(5, ROWS))
    codec, matrix, evening = gapped(values, rng.random(ROWS) < 0.4, Style(numbers="modes", levels="codes"))
    drawn = matrix[rng.permutation(ROWS)]
    drawn[:, 0] += rng.normal(size=ROWS) / 20
    drawn[drawn[:, 2] > 0.5, 1] = 0  # a network that always draws one mode where nobody looks
    found = present(codec, evening, drawn, rng)
    assert abs((found == 0).mean() - 0.9) < 0.015
