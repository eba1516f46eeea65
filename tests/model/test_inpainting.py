"""Cells that are given stay as they are, and the others are drawn around them."""

from dataclasses import replace

import numpy as np
import pytest

from model.toy_generator import fitted
from understudy.engines.condition import Among, Between, IsMissing
from understudy.errors import NothingMatches
from understudy.missing import MISSING_STEP, is_missing
from understudy.model.inpainting import TRIES, Asked, fill_in, inpaint
from understudy.model.matrix_sampler import STYLE
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema

LEVELS = Levels(values=("a", "b", "c"))


def schema(rate=0.3):
    missing = Missing(rate=rate)
    return Schema(
        columns=(
            Column(name="w", kind="categorical", type="string", levels=LEVELS, missing=missing),
            Column(
                name="n",
                kind="numerical",
                type="int64",
                resolution=1.0,
                bounds=Bounds(low=-(2**61), high=2**61),
                missing=missing,
            ),
            Column(
                name="x",
                kind="numerical",
                type="double",
                bounds=Bounds(low=-1e300, high=1e300),
                missing=missing,
            ),
        )
    )


def holed(rows=400, rate=0.3):
    rng = np.random.default_rng(3)
    holes = rng.random((3, rows)) < rate
    return {
        "w": np.where(holes[0], -1, rng.integers(0, 3, rows)).astype(np.int32),
        "n": np.where(holes[1], MISSING_STEP, rng.integers(0, 50, rows)),
        "x": np.where(holes[2], np.nan, rng.normal(size=rows)),
    }


def generator(seed=0):
    return np.random.default_rng(seed)


def drawing(sampler):
    return lambda rows, rng, known=None: sampler.codec.decode(sampler.generator.draw(rows, rng, known), rng)


@pytest.mark.parametrize("rate", [0.0, 0.3], ids=["fitted to whole rows", "fitted to rows with gaps"])
def test_every_missing_cell_is_filled_and_no_other_is_touched(rate):
    sampler, rows = fitted(holed(rate=rate), schema(rate)), holed()
    filled = fill_in(sampler.codec, drawing(sampler), rows, generator())
    for name, values in rows.items():
        there = ~is_missing(values)
        assert np.array_equal(filled[name][there], values[there])
        assert not is_missing(filled[name]).any()
        assert filled[name].dtype == values.dtype


def test_a_generator_is_told_what_is_there_and_that_the_rest_is_too():
    sampler = fitted(holed(), schema())
    row = {"w": np.array([-1], dtype=np.int32), "n": np.array([MISSING_STEP]), "x": np.array([0.25])}
    fill_in(sampler.codec, drawing(sampler), row, generator())
    known = sampler.generator.asked[0][1]
    assert known.mask.tolist() == [[False, False, True, True, True]]  # w, n, n's flag, x, x's flag
    assert known.values[0, 2] == known.values[0, 4] == 0


def test_a_level_that_always_comes_out_missing_is_taken_from_other_rows():
    rows = holed()
    rows["w"][:] = -1
    sampler = fitted(rows, schema())
    given = holed(rate=0.5)
    given["w"][given["w"] == 2] = 1
    filled = fill_in(sampler.codec, drawing(sampler), given, generator())
    assert len(sampler.generator.asked) == TRIES
    holes = is_missing(given["w"])
    assert set(filled["w"][holes].tolist()) == {0, 1}


def test_a_column_without_any_value_is_filled_with_any_level():
    rows = holed()
    rows["w"][:] = -1
    sampler = fitted(rows, schema())
    assert set(fill_in(sampler.codec, drawing(sampler), rows, generator())["w"].tolist()) == {0, 1, 2}


def test_whole_rows_and_no_rows_ask_for_nothing():
    sampler = fitted(holed(), schema())
    for rows in (holed(rate=0.0), {name: values[:0] for name, values in holed().items()}):
        filled = fill_in(sampler.codec, drawing(sampler), rows, generator())
        assert all(np.array_equal(filled[name], rows[name]) for name in rows)
    assert sampler.generator.asked == []
    assert fill_in(sampler.codec, drawing(sampler), {}, generator()) == {}


def test_cells_that_are_asked_for_come_back_as_they_are():
    sampler, pool = fitted(holed(), schema()), holed(30)
    cells = {"w": np.array([2, -1] * 40, dtype=np.int32), "n": np.array([7, MISSING_STEP] * 40)}
    rows = inpaint(sampler.codec, drawing(sampler), cells, pool, generator())
    assert all(np.array_equal(rows[name], cells[name]) for name in cells)
    mask = sampler.generator.asked[0][1].mask
    # Of a missing quantity the flag is known, its number is not.
    assert mask[0].tolist() == [True, True, True, False, False]
    assert mask[1].tolist() == [True, False, True, False, False]


def test_values_that_never_came_are_drawn_evenly_inside_the_range():
    codec = fitted(
        {
            "w": np.array([0, 1], dtype=np.int32),
            "n": np.array([-(2**61), 2**61]),
            "x": np.array([-1e300, 1e300]),
        },
        schema(0.0),
    ).codec
    pool = {"w": np.zeros(9, dtype=np.int32), "n": np.full(9, 2**61), "x": np.full(9, 1e300)}
    nothing = {name: values[:0] for name, values in pool.items()}
    wanted = {
        "n": Between(2**60 + 1, 2**60 + 3),
        "x": Between(-1e300, 1e299),
        "w": Among(np.array([0, 1, 1, 0]) > 0),
    }
    cells = Asked.of(codec, wanted).choose(pool, nothing, 900, generator())
    assert np.unique(cells["n"]).tolist() == [2**60 + 1, 2**60 + 2, 2**60 + 3]
    assert (cells["x"] <= 1e299).all() and (cells["x"] < -5e299).any() and (cells["x"] > 0).any()
    assert set(np.bincount(cells["w"], minlength=3)[1:] > 350) == {True}


def test_shares_of_levels_are_those_of_the_rows_drawn():
    codec = fitted(holed(), schema()).codec
    pool = {
        "w": np.array([0] * 90 + [1] * 30 + [-1] * 10, dtype=np.int32),
        "n": np.zeros(130, dtype=np.int64),
    }
    nothing = {name: values[:0] for name, values in pool.items()}
    asked = Asked.of(codec, {"w": Among(np.array([False, True, True, True]))})
    cells = asked.choose(pool, nothing, 4_000, generator())["w"]
    assert (cells == -1).mean() == pytest.approx(0.25, abs=0.03)
    assert (cells == 1).mean() == pytest.approx(0.75, abs=0.03)


def test_a_range_beyond_the_values_is_refused():
    with pytest.raises(NothingMatches, match="widen"):
        Asked.of(fitted(holed(), schema()).codec, {"n": Between(60, 70)})


def test_what_no_row_had_is_refused_and_not_invented():
    codec = fitted(holed(), schema()).codec
    met = {"w": np.array([True, False, True, False]), "n": np.array([True, False])}
    for name, wanted, said in (
        ("w", Among(np.array([False, True, False, False])), "no row had such a level"),
        ("w", Among(np.array([False, False, False, True])), "never missing"),
        ("n", IsMissing(), "never missing"),
    ):
        with pytest.raises(NothingMatches, match=said):
            Asked.of(codec, {name: wanted}, met)
    kept = Asked.of(codec, {"w": Among(np.array([True, True, False, True]))}, met).conditions["w"]
    assert kept.allowed.tolist() == [True, False, False, False]


def test_levels_that_share_a_code_are_told_apart_by_their_weights():
    four = Levels(values=("a", "b", "c", "d"))
    column = Column(name="w", kind="categorical", type="string", levels=four, missing=Missing(rate=0.0))
    few = replace(STYLE, rare=10)
    values = {"w": np.repeat([0, 1, 3], [50, 4, 3]).astype(np.int32)}
    codec = fitted(values, Schema(columns=(column,)), style=few).codec
    met = {"w": np.array([True, True])}
    for level, there in enumerate((True, True, False, True)):
        wanted = {"w": Among(np.arange(5) == level)}
        if there:
            assert Asked.of(codec, wanted, met).conditions["w"].allowed[level]
        else:
            with pytest.raises(NothingMatches, match="no row had such a level"):
                Asked.of(codec, wanted, met)


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_quantities_of_few_values_are_filled_and_fixed_too(rate):
    columns = holed(rate=rate)
    columns["x"] = np.round(columns["x"])
    few = replace(STYLE, few=60, shared=1)
    sampler = fitted(columns, schema(rate), style=few)
    assert [part.role for part in sampler.codec.layout.spans] == ["code"] * 3
    given = holed()
    filled = fill_in(sampler.codec, drawing(sampler), given, generator())
    holes = is_missing(given["n"])
    assert set(filled["n"][holes].tolist()) <= set(columns["n"].tolist()) - {MISSING_STEP}
    drawn = sampler.draw(700, generator(), {"n": Between(3, 4), "x": Between(2.0, 9.0)})
    assert np.isin(drawn["n"], [3, 4]).all() and (drawn["x"] >= 2).all()


def test_a_listed_quantity_that_always_comes_out_missing_is_taken_from_its_list():
    columns = holed()
    columns["n"] = np.where(np.arange(400) % 100 > 0, MISSING_STEP, 5 * (np.arange(400) > 150))
    sampler = fitted(columns, schema(), style=replace(STYLE, few=60, shared=1))
    sampler.generator.matrix[:, 1] = 2.0
    columns["n"][:] = MISSING_STEP
    assert set(fill_in(sampler.codec, drawing(sampler), columns, generator())["n"].tolist()) == {0, 5}
