"""RMIA: nearer to synthetic rows than models without the record explain (Zarifzadeh et al. 2024), offline.

Shadow models learn from halves of the reference, so that none has seen a target. How likely a record is
under a model is told by its distance to the nearest synthetic row: the ratio of a record is its mean distance
from the sets of shadow models over its distance from the synthetic table. The score is the share of
population records, rows of the reference, whose ratio is smaller by a factor; for a population record only
models count that did not learn from it. So what is common to all records, as the sizes of tables, drops out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from understudy import check, synth
from understudy.engines.neighbours.search import nearest
from understudy.engines.neighbours.vectors import Vectors
from understudy.errors import ParameterError, UnderstudyError
from understudy.measuring.encoder import Encoder, Matrix
from understudy.measuring.finding import Finding
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.shadow_cast import Shown, Size, cast
from understudy.measuring.shadowed import UNNAMED, shadowing, trained_within, undefined
from understudy.rng import seed_of
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["RMIA"]

_LEAST = 1e-6  # added to distances: a copy is at distance 0, and ratios stay numbers


@final
@dataclass(frozen=True)
class RMIA(Membership):
    """Whether a record is nearer to synthetic rows than shadow models explain, compared with other records.

    recipe    the name of the synthesizer
    settings  of it, as a JSON object; its defaults if there is no text
    budget    of each model, as {"epsilon": 1, "delta": 1e-9}: noise that no seed repeats; none if it is empty
    models    shadow models, an even number
    sets      synthetic sets of each model
    records   reference rows that the models learn from, each from half of them; they are the population too
    factor    by which a ratio must exceed another to count
    workers   processes that train models; 0 trains them here, one after another
    keep      a folder where models stay for the next time; they are as private as the rows
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")
    level: ClassVar[Level] = "full"

    recipe: str = check.text("")
    settings: str = check.text("")
    budget: str = check.text("")
    models: int = check.integer(8, low=4, high=10_000)
    sets: int = check.integer(2, low=1, high=100_000)
    records: int = check.integer(5_000, low=4, high=10_000_000)
    factor: float = check.number(1.0, low=1e-3, high=1e3)
    workers: int = check.integer(0, low=0, high=1_024)
    keep: str = check.text("")

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Cast the shadows, if that can be done, and compare members with others."""
        if not self.recipe:
            return undefined(UNNAMED, 0.5)
        if evidence.has("reference"):
            try:
                self._shown(evidence, seed_of(rng))
            except ParameterError:
                raise
            except UnderstudyError as error:
                return undefined(f"undefined: {error}", 0.5)
        found = Membership.find(self, evidence, rng)
        notes = trained_within(self) if found.n else ()
        return replace(found, notes=(*found.notes, *notes))

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the share of the population that has a smaller ratio."""
        shown = self._shown(evidence, seed_of(rng))
        encoder = Encoder.fit(shown.records, "standard")
        synthetic = encoder.matrix(evidence.coded("synthetic"))
        asked, known = encoder.matrix(targets), encoder.matrix(shown.records)
        everywhere = np.ones((shown.shadows.models, len(targets)), dtype=np.bool_)
        found = _ratios(asked, synthetic, self._shadowed(shown, encoder, asked, everywhere))
        others = _ratios(known, synthetic, self._shadowed(shown, encoder, known, ~shown.inside))
        below = np.searchsorted(np.sort(others), found / self.factor, side="right")
        return np.asarray(below / len(others))

    def _shown(self, evidence: Evidence, seed: int) -> Shown:
        recipe = shadowing(lambda told: synth.get(self.recipe)(**told), self)
        size = Size(self.models, self.sets, self.records, self.workers, self.keep)
        return cast(evidence, "reference", recipe, size, seed)

    def _shadowed(self, shown: Shown, encoder: Encoder, asked: Matrix, counts: Any) -> Floats:
        """Return the mean distance of rows from the sets of those models that count for them."""
        total = np.zeros(len(asked))
        for model in range(shown.shadows.models):
            for number in range(shown.shadows.sets):
                near = _distances(asked, encoder.matrix(shown.drawn(model, number)))
                total += np.where(counts[model], near, 0.0)
        return np.asarray(total / (shown.shadows.sets * counts.sum(axis=0)))


def _ratios(asked: Matrix, synthetic: Matrix, shadowed: Floats) -> Floats:
    ratios = (shadowed + _LEAST) / (_distances(asked, synthetic) + _LEAST)
    # To nine digits, so that sums in another order leave ties as they are.
    return np.asarray(np.exp(np.round(np.log(ratios), 9)))


def _distances(asked: Matrix, known: Matrix) -> Floats:
    return nearest(Vectors(asked), Vectors(known)).distances[:, 0]
