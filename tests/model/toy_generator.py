"""A generator that needs no network, and a recipe that learns it: every coordinate by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from understudy.codec import Codec, plan
from understudy.engines.generator import Generator
from understudy.model import matrix_sampler
from understudy.model.matrix_sampler import STYLE, MatrixSampler
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Ledger, Vault


@final
class ToyGenerator(Generator):
    """Each coordinate from any row it was given; known cells as they are. It notes what it was asked for."""

    def __init__(self, matrix):
        self.matrix = matrix
        self.asked = []

    def draw(self, rows, rng, known=None):
        self.asked.append((rows, known))
        places = rng.integers(0, len(self.matrix), (rows, self.matrix.shape[1]))
        drawn = np.take_along_axis(self.matrix, places, axis=0)
        return drawn if known is None else np.where(known.mask, known.values, drawn)

    def state(self):
        return {"matrix": self.matrix}, {"kind": "toy"}

    @classmethod
    def restore(cls, tensors, facts):
        assert facts == {"kind": "toy"}
        return cls(tensors["matrix"])


@final
@dataclass(frozen=True)
class ToyRecipe(Recipe):
    """Independent columns through the codec's matrix."""

    sampler: ClassVar[type[Sampler]] = MatrixSampler

    def learn(self, vault, schema, rng, progress):
        progress.stage("remembering rows")
        codec = plan(schema, STYLE).fit(vault, rng)
        if not codec.slots:
            return MatrixSampler(codec, None)
        return toy_sampler(codec, vault.open("rows to draw from"), rng)


def toy_sampler(codec, columns, rng):
    return MatrixSampler(codec, ToyGenerator(codec.encode(columns, rng)))


def fitted(columns, schema, seed=0, style=STYLE):
    """Return the toy sampler of these columns."""
    rng = np.random.default_rng(seed)
    codec: Codec = plan(schema, style).fit(Vault(columns, Ledger()), rng)
    return toy_sampler(codec, columns, rng)


def known_to_files(monkeypatch):
    """Let a model's file name the toy generator."""
    monkeypatch.setitem(matrix_sampler.GENERATORS, "toy", ToyGenerator.__module__)
