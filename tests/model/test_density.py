"""Whose rows can be asked about, and in which terms a sampler is asked."""

# A sampler has a fixed signature, and this one ignores parts of it.
# ruff: noqa: ARG002, ARG003

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.errors import InputError, SchemaError
from understudy.model.density import log_density_of
from understudy.model.sampler import Sampler
from understudy.table.schema import Schema

TABLE = pd.DataFrame({"n": [1, 2, 3], "word": ["a", "b", "a"], "key": ["K-1", "K-2", "K-3"]})


@dataclass(frozen=True)
class Seen(Sampler):
    """A sampler that gives back the column it was asked about."""

    conditional: ClassVar[bool] = False

    def draw(self, rows, rng, conditions):
        return {}

    def log_density(self, columns):
        assert set(columns) == {"n", "word"}
        return columns["n"].astype(np.float64)

    def state(self):
        return {}, {}

    @classmethod
    def restore(cls, tensors, facts):
        return cls()


def schema():
    inferred = Schema.infer(TABLE)
    key = inferred.column("key").model_copy(update={"kind": "ignore", "levels": None, "template": None})
    number = inferred.column("n").model_copy(update={"kind": "numerical", "resolution": 1.0, "levels": None})
    return inferred.model_copy(update={"columns": (number, inferred.column("word"), key)})


def test_a_row_out_of_the_bounds_can_be_asked_about():
    rows = TABLE.assign(n=[1, 2, 99])
    assert log_density_of(rows, schema(), Seen()).tolist() == [1.0, 2.0, 99.0]


def test_where_nothing_is_modelled_every_row_is_certain():
    same = pd.DataFrame({"n": [3, 3, 3], "word": ["a", "a", "a"]})
    rows = same.iloc[:2]
    for method in ("arf", "nflow"):
        if method == "nflow":
            pytest.importorskip("torch")
        model = us.synth.get(method).small().fit(same, progress=False)
        assert model.log_density(rows).tolist() == [0.0, 0.0], method


def test_a_level_that_was_never_known_is_refused():
    with pytest.raises(SchemaError, match="levels"):
        log_density_of(TABLE.assign(word="c"), schema(), Seen())


def test_a_method_without_a_density_is_refused_in_words():
    from testing.planted import Bootstrap

    with pytest.raises(InputError, match="no exact density"):
        log_density_of(TABLE, schema(), Bootstrap({}))
