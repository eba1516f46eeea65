"""Every learner recovers a known mixture; its generator keeps known cells and comes back from its state."""

import json

import numpy as np
import pytest
import torch

from contract.mixture import (
    CENTRES,
    FIELDS,
    NUMBER,
    QUICK,
    SHAPES,
    SHARE,
    SIDE,
    SPREAD,
    STRICT,
    WAYS,
    WORD,
    any_rows,
    at_length,
    barely,
    begun,
    drawn,
    mixture,
    quickly,
    shortened,
)
from understudy.engines.generator import Known

ROWS = 100  # of each kind of known cells


def refuse_other_codes(found, fields):
    assert found.dtype == np.float32 and np.isfinite(found).all()
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        assert set(found[:, at]) <= set(range(size))


def refuse_another_law(generator, demand):
    found = drawn(generator)
    refuse_other_codes(found, FIELDS)
    word, number, side = found[:, WORD], found[:, NUMBER], found[:, SIDE] == 1
    assert side.mean() == pytest.approx(SHARE, abs=demand.share)
    assert np.mean((word > 0) == side) > demand.coherent
    assert np.mean((number > 0) == side) > demand.coherent - 0.01
    assert np.mean(word[side] == 1) == pytest.approx(0.5, abs=demand.even)
    for half, centre in zip((~side, side), CENTRES, strict=True):
        assert number[half].mean() == pytest.approx(centre, abs=demand.mean)
        assert number[half].std() == pytest.approx(SPREAD, abs=demand.spread)


def refuse_what_does_not_fit(generator, demand):
    values, mask = np.full((3 * ROWS, 3), np.nan, np.float32), np.zeros((3 * ROWS, 3), bool)
    by_word, by_side, by_number = (slice(start, start + ROWS) for start in range(0, 3 * ROWS, ROWS))
    for rows, at, value in ((by_word, WORD, 2), (by_side, SIDE, 1), (by_number, NUMBER, CENTRES[0] + 0.02)):
        values[rows, at], mask[rows, at] = value, True
    found = drawn(generator, 3 * ROWS, Known(values, mask))
    assert np.array_equal(found[mask], values[mask])
    assert np.mean(found[by_word, SIDE] == 1) > demand.by_word
    assert np.mean(found[by_side, NUMBER] > 0) > demand.by_side
    assert np.mean(found[by_number, WORD] == 0) > demand.by_number
    assert np.mean(found[by_number, SIDE] == 0) > demand.by_number


def refuse_another_restored(generator):
    tensors, facts = generator.state()
    assert json.loads(json.dumps(facts)) == facts
    again = type(generator).restore({name: part.copy() for name, part in tensors.items()}, facts)
    assert again.state()[1] == facts
    assert np.array_equal(drawn(generator, 50), drawn(again, 50))


@pytest.mark.parametrize("way", QUICK)
def test_a_known_mixture_is_recovered_about(way):
    refuse_another_law(quickly(way), shortened(WAYS[way].demand))


@pytest.mark.parametrize("way", QUICK)
def test_after_a_short_training_what_is_drawn_fits_known_cells_about(way):
    refuse_what_does_not_fit(quickly(way), shortened(WAYS[way].demand))


@pytest.mark.slow
@pytest.mark.parametrize("way", STRICT)
def test_a_known_mixture_is_recovered(way):
    refuse_another_law(at_length(way), WAYS[way].demand)


@pytest.mark.slow
@pytest.mark.parametrize("way", STRICT)
def test_what_is_drawn_fits_known_cells(way):
    refuse_what_does_not_fit(at_length(way), WAYS[way].demand)


@pytest.mark.parametrize("way", WAYS)
def test_known_cells_come_back_exactly(way):
    values = mixture(60, seed=5)
    mask = np.random.default_rng(6).random(values.shape) < 0.5
    found = drawn(barely(way), 60, Known(values, mask))
    assert np.array_equal(found[mask], values[mask])
    refuse_other_codes(found, FIELDS)


@pytest.mark.parametrize("way", WAYS)
def test_a_restored_generator_draws_the_same_rows(way):
    generator = barely(way)
    refuse_another_restored(generator)
    assert not np.array_equal(drawn(generator, 50), drawn(generator, 50, seed=2))


@pytest.mark.parametrize("way", WAYS)
def test_no_rows_can_be_drawn(way):
    generator, nothing = barely(way), Known(np.zeros((0, 3), np.float32), np.zeros((0, 3), bool))
    assert drawn(generator, 0).shape == drawn(generator, 0, nothing).shape == (0, 3)


# A label is a column of levels, and never the only one.
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", [way for way in WAYS if way != "tabddpm, a label"])
def test_tables_of_one_kind_and_of_one_column_are_learned(way, shape):
    fields = SHAPES[shape]
    generator = begun(way, any_rows(fields), fields)
    found = drawn(generator, 20)
    assert found.shape == (20, fields.width)
    refuse_other_codes(found, fields)
    refuse_another_restored(generator)


@pytest.mark.parametrize("way", WAYS)
def test_the_global_generator_is_left_alone(way):
    before = torch.random.get_rng_state()
    drawn(begun(way, mixture(64)), 5)
    assert torch.equal(torch.random.get_rng_state(), before)
