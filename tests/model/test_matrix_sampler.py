"""One sampler for all networks: exact conditions, rows in blocks, and a file that names no code."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from model.toy_generator import ToyGenerator, ToyRecipe, fitted, known_to_files
from understudy.engines.condition import Among, Between, IsMissing
from understudy.engines.pair_shares import Pair
from understudy.engines.twins import Twin
from understudy.errors import CorruptModel, MissingExtra, NothingMatches
from understudy.missing import MISSING_STEP, is_missing
from understudy.model import matrix_sampler, torch_extra
from understudy.model.evening import Evening
from understudy.model.matrix_sampler import MatrixSampler
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.testing import checks

WORDS = Column(
    name="w",
    kind="categorical",
    type="string",
    levels=Levels(values=("a", "b", "c")),
    missing=Missing(rate=0.2),
)
STEPS = Column(
    name="n",
    kind="numerical",
    type="int64",
    resolution=1.0,
    bounds=Bounds(low=0, high=1_000),
    missing=Missing(rate=0.1),
)
FLOATS = Column(
    name="x", kind="numerical", type="double", bounds=Bounds(low=-9.0, high=9.0), missing=Missing(rate=0.0)
)
SCHEMA = Schema(columns=(WORDS, STEPS, FLOATS))
FAMILIES = ("shape", "seeds", "ids", "missing", "hostile", "saving", "conditions", "rules")
CHECKS = [check for check in checks() if check.__module__.rpartition(".")[2] in FAMILIES]


def columns(rows=600):
    rng = np.random.default_rng(0)
    words = rng.choice([0, 0, 0, 1, -1], rows).astype(np.int32)  # the level c never comes
    steps = np.where(rng.random(rows) < 0.1, MISSING_STEP, rng.integers(10, 90, rows))
    return {"w": words, "n": steps, "x": rng.normal(size=rows)}


@pytest.fixture
def sampler():
    return fitted(columns(), SCHEMA)


def draw(sampler, rows=50, **conditions):
    return sampler.draw(rows, np.random.default_rng(1), conditions)


def levels(*allowed):
    return Among(np.isin(np.arange(4), allowed))


def test_drawn_rows_hold_levels_steps_and_gaps_as_the_rows_did(sampler):
    real, drawn = columns(), draw(sampler, 2_000)
    assert {name: values.dtype for name, values in drawn.items()} == {n: v.dtype for n, v in real.items()}
    assert set(drawn["w"].tolist()) == {0, 1, -1}
    assert set(drawn["n"].tolist()) <= set(real["n"].tolist())
    assert is_missing(drawn["n"]).mean() == pytest.approx(is_missing(real["n"]).mean(), abs=0.03)
    assert not np.isnan(drawn["x"]).any()


def test_a_long_table_is_drawn_in_blocks(sampler, monkeypatch):
    monkeypatch.setattr(matrix_sampler, "BLOCK", 64)
    monkeypatch.setattr(matrix_sampler, "FEWEST", 1)
    assert len(draw(sampler, 200)["w"]) == 200
    assert [rows for rows, _ in sampler.generator.asked] == [64, 64, 64, 8]


def test_common_conditions_are_met_by_drawing_alone(sampler):
    drawn = draw(sampler, 300, w=levels(0), n=Between(10, 80))
    assert (drawn["w"] == 0).all() and ((drawn["n"] >= 10) & (drawn["n"] <= 80)).all()
    assert all(known is None for _, known in sampler.generator.asked)


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("w", levels(2)),
        ("w", levels(2, 3)),
        ("n", Between(33, 33)),
        ("n", Between(10.5, 11.5)),
        ("x", Between(1.0, 1.0)),
        ("x", Between(2.3, np.inf)),
        ("n", Between(-(2**62), 2**62)),
        ("n", IsMissing()),
    ],
)
@pytest.mark.parametrize("rows", [1, 40, 3_000])
def test_conditions_hold_in_every_row(sampler, name, condition, rows):
    drawn = draw(sampler, rows, **{name: condition})
    assert all(len(values) == rows for values in drawn.values())
    assert condition.accepts(drawn[name]).all()


def test_rare_conditions_that_no_row_meets_together_are_inpainted(sampler):
    drawn = draw(sampler, 500, w=levels(2), n=Between(20, 21), x=Between(2.0, 9.0))
    assert (drawn["w"] == 2).all() and np.isin(drawn["n"], [20, 21]).all() and (drawn["x"] >= 2).all()
    known = sampler.generator.asked[-1][1]
    assert known is not None and known.mask.all()
    other = draw(sampler, 500, w=levels(2))
    known = sampler.generator.asked[-1][1]
    assert known.mask.any(axis=0).tolist() == [True, False, False, False]
    assert len(set(other["x"].tolist())) > 100


def test_rows_that_matched_lend_their_cells_together():
    rows = {
        "w": np.array([0, 1] * 400, dtype=np.int32),
        "n": np.array([10, 500] * 400, dtype=np.int64),
        "x": np.linspace(-1, 1, 800),
    }
    sampler = fitted(rows, SCHEMA)
    drawn = draw(sampler, 2_000, w=levels(0, 1), x=Between(0.9, 0.91))
    assert ((drawn["x"] >= 0.9) & (drawn["x"] <= 0.91)).all() and set(drawn["w"].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("name", "condition"),
    [("x", IsMissing()), ("n", Between(91, 1_000)), ("x", Between(-9.0, -8.0)), ("n", Between(10.2, 10.8))],
)
def test_what_no_value_satisfies_is_refused_before_anything_is_drawn(sampler, name, condition):
    with pytest.raises(NothingMatches, match=name):
        draw(sampler, 5, **{name: condition})
    assert sampler.generator.asked == []


def test_missing_levels_of_a_column_that_never_misses_any_are_refused():
    whole = Schema(columns=(WORDS.model_copy(update={"missing": Missing(rate=0.0)}),))
    sampler = fitted({"w": np.array([0, 1, 2], dtype=np.int32)}, whole)
    with pytest.raises(NothingMatches, match="never missing"):
        draw(sampler, 5, w=levels(3))
    assert set(draw(sampler, 50, w=levels(2, 3))["w"].tolist()) == {2}


def test_no_columns_give_no_columns():
    sampler = MatrixSampler(fitted(columns(), SCHEMA).codec.__class__(()), None)
    assert draw(sampler, 5) == {}
    assert draw(MatrixSampler.restore(*sampler.state()), 5) == {}


def test_a_restored_sampler_draws_the_same_rows(sampler, monkeypatch):
    known_to_files(monkeypatch)
    tensors, facts = sampler.state()
    assert facts["generator"] == "toy:ToyGenerator"
    again = MatrixSampler.restore(tensors, facts)
    for conditions in ({}, {"w": levels(2)}):
        first, second = draw(sampler, **conditions), draw(again, **conditions)
        assert all(np.array_equal(first[name], second[name], equal_nan=name == "x") for name in first)


@pytest.mark.parametrize("named", ["os:system", "toy:np", "toy:Generator", "toy:absent", "", "toy", 7])
def test_a_file_cannot_name_any_other_code(sampler, monkeypatch, named):
    known_to_files(monkeypatch)
    tensors, facts = sampler.state()
    with pytest.raises(CorruptModel, match="does not know"):
        MatrixSampler.restore(tensors, facts | {"generator": named})


def test_a_generator_that_no_file_may_name_cannot_be_saved(sampler):
    with pytest.raises(AssertionError, match="GENERATORS"):
        sampler.state()


def test_a_model_that_needs_torch_says_how_to_install_it(sampler, monkeypatch):
    known_to_files(monkeypatch)
    tensors, facts = sampler.state()
    monkeypatch.setattr(torch_extra, "find_spec", {}.get)
    with pytest.raises(MissingExtra, match=r"pip install \"understudy\[neural\]\""):
        MatrixSampler.restore(tensors, facts)


def test_the_sampler_itself_loads_no_torch():
    code = "import sys, understudy.model.matrix_sampler; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_toy_on_this_sampler_keeps_the_contract(check, monkeypatch):
    known_to_files(monkeypatch)
    check(ToyRecipe())


def test_a_toy_generator_gives_known_cells_back():
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    drawn = ToyGenerator(matrix).draw(4, np.random.default_rng(0))
    assert drawn.shape == (4, 2) and np.isin(drawn[:, 0], matrix[:, 0]).all()


def test_few_rows_are_some_of_many_and_the_last_ones_of_a_long_table_too(sampler, monkeypatch):
    sampler.generator.asked.clear()
    assert len(draw(sampler, 3)["w"]) == 3
    monkeypatch.setattr(matrix_sampler, "BLOCK", 600)
    assert len(draw(sampler, 610)["w"]) == 610
    assert [rows for rows, _ in sampler.generator.asked] == [500, 600, 500]


def test_levels_are_as_common_as_they_should_be_in_many_rows_and_in_few(sampler):
    shares = (np.array([0.65, 0.15, 0.0, 0.2]), np.array([0.9, 0.1]))
    even = replace(sampler, evening=Evening(shares))
    found = even.draw(5_000, np.random.default_rng(2), {})
    # As near as the rows that are drawn besides can bring it.
    assert abs((found["w"] == 0).mean() - 0.65) < abs((columns()["w"] == 0).mean() - 0.65) / 2
    few = [even.draw(50, np.random.default_rng(seed), {})["w"] for seed in range(60)]
    assert abs((np.concatenate(few) == 0).mean() - 0.65) < 0.02


def test_what_is_done_to_many_rows_is_kept_in_the_file(sampler, monkeypatch):
    known_to_files(monkeypatch)
    shares = (np.array([0.65, 0.15, 0.0, 0.2]), np.array([0.9, 0.1]))
    pair = Pair(0, 1, np.full(8, 1 / 8))
    even = replace(sampler, evening=Evening(shares, (pair,), (Twin(1, 2, -1),)))
    back = MatrixSampler.restore(*even.state()).evening
    assert (back.pairs[0].first, back.pairs[0].second, back.twins) == (0, 1, (Twin(1, 2, -1),))
    for one, other in zip((*shares, pair.shares), (*back.shares, back.pairs[0].shares), strict=True):
        np.testing.assert_array_equal(one, other)
    assert MatrixSampler.restore(*sampler.state()).evening.shares == ()


def searched(sampler, rows, **conditions):
    """Return how many rows were drawn freely, and how rows were drawn around known cells, if any were."""
    sampler.generator.asked.clear()
    draw(sampler, rows, **conditions)
    asked = sampler.generator.asked
    # Those among which numbers have their places are drawn once, and are no search.
    free = sum(size for size, known in asked if known is None and size != matrix_sampler.USUAL)
    return free, [known for _, known in asked if known]


def rarely(share):
    """Return a sampler of rows of which so many are of level 1, all of them with high numbers."""
    rows = columns(10_000)
    rows["w"] = (np.arange(10_000) < 10_000 * share).astype(np.int32)
    return fitted(rows, SCHEMA)


def test_a_level_of_one_percent_is_met_by_drawing_alone():
    tried, fixed = searched(rarely(0.01), 500, w=levels(1))
    assert not fixed and 40_000 < tried < 75_000


def test_of_a_level_too_rare_for_that_what_is_missing_begins_at_rows_that_matched():
    tried, (known,) = searched(rarely(0.001), 500, w=levels(1))
    assert tried == matrix_sampler.MOST_PER_ROW * 500
    assert known.fitting and 400 < len(known.values) < 450
    assert (known.values[:, 0] == 1).all()


def test_the_search_ends_where_nothing_matches_and_where_very_many_rows_are_asked_for(monkeypatch):
    tried, (known,) = searched(rarely(0.0), 500, w=levels(2))
    assert matrix_sampler.NO_MATCH <= tried <= 2 * matrix_sampler.NO_MATCH and not known.fitting
    monkeypatch.setattr(matrix_sampler, "ENOUGH", 30_000)
    assert searched(rarely(0.01), 500, w=levels(1))[0] == 30_000


def test_where_rows_take_one_pass_they_are_searched_for_longer(monkeypatch):
    sampler = rarely(0.002)
    assert searched(sampler, 100, w=levels(1))[1]
    monkeypatch.setattr(ToyGenerator, "quick", True)
    assert not searched(sampler, 100, w=levels(1))[1]
