"""Ensemble: all record-level attacks at once, weighed by rehearsals on shadow models. The strongest here.

The adversary knows the recipe and has reference rows. Shadow models learn from random halves of some of
these; for each, every attack of the panel scores the rows that the model learned from and those that it did
not, with the rest of the reference rows to calibrate on. A classifier learns to tell both by the ranks of
their scores, and then judges the true targets by the same attacks on the true synthetic table. No target is
in a shadow model. What the recipe does not betray in rehearsals is not learned: name the one that made the
table. The black-box winners of the MIDST challenge (2025) are of this kind; no single attack is
the best everywhere, and none has to be chosen by its success on the targets.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import attacks, check, synth
from understudy.errors import ParameterError, TooFewRows, UnderstudyError
from understudy.measuring.chosen import chosen
from understudy.measuring.finding import Finding
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.rehearsal import rehearsed
from understudy.measuring.shadow_cast import Shown, Size, cast, different
from understudy.measuring.shadowed import UNNAMED, shadowing, trained_within, undefined
from understudy.measuring.stacking import learned, ranked_scores
from understudy.rng import seed_of, stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["Ensemble"]

_THING = "attack on records without shadow models"
_FEWEST = 6  # different reference rows: four to learn from and two to calibrate on
_CALIBRATES = 3  # one in so many reference rows is for calibration


@final
@dataclass(frozen=True)
class Ensemble(Membership):
    """A classifier on the scores of all record-level attacks, that learned on shadow models of the recipe.

    recipe    the name of the synthesizer
    settings  of it, as a JSON object; its defaults if there is no text
    budget    of each model, as {"epsilon": 1, "delta": 1e-9}: noise that no seed repeats; none if it is empty
    models    shadow models, an even number; each is a rehearsal
    records   reference rows that the models learn from, each from half; at most two thirds of the reference
    panel     the attacks, as "dpi,mc"; none: every one that trains no shadow model
    learner   "logistic": a weighted sum; "boosting": trees
    workers   processes that train models; 0 trains them here, one after another
    keep      a folder where models stay for the next time; they are as private as the rows
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")
    level: ClassVar[Level] = "full"

    recipe: str = check.text("")
    settings: str = check.text("")
    budget: str = check.text("")
    models: int = check.integer(8, low=2, high=10_000)
    records: int = check.integer(5_000, low=4, high=10_000_000)
    panel: str = check.text("")
    learner: Literal["logistic", "boosting"] = check.choice("logistic", "logistic", "boosting")
    workers: int = check.integer(0, low=0, high=1_024)
    keep: str = check.text("")

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Cast the shadows, if that can be done, and compare members with others."""
        if not self.recipe:
            return undefined(UNNAMED, 0.5)
        self._panel()
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
        """Return what the classifier says of the ranks of all scores."""
        seed = seed_of(rng)
        shown = self._shown(evidence, seed)
        left = evidence.coded("reference").take(self._left(evidence, shown))
        features, inside = [], []
        for model in range(shown.shadows.models):
            seen: dict[Role, CodedTable] = {"synthetic": shown.drawn(model, 0), "reference": left}
            features.append(self._ranks(shown.records, rehearsed(evidence, seen), seed))
            inside.append(shown.inside[model])
        judge = learned(np.concatenate(features), np.concatenate(inside), self.learner, seed % 2**31)
        earnest = rehearsed(evidence, {"synthetic": evidence.coded("synthetic"), "reference": left})
        return np.asarray(judge(self._ranks(targets, earnest, seed)))

    def _ranks(self, targets: CodedTable, evidence: Evidence, seed: int) -> Floats:
        made = [attack() for attack in self._panel()]
        return ranked_scores(
            [each.accuse(targets, evidence, stream(seed, "ensemble", each.title())) for each in made]
        )

    def _panel(self) -> list[type[Membership]]:
        """Return the attacks: those that score records and train no shadow model."""
        every = {
            name: kind
            for name in attacks.names()
            if issubclass(kind := attacks.get(name), Membership) and not _is_shadowed(kind)
        }
        wanted = chosen(self.panel, list(every), "ensemble: panel", _THING)
        return [every[name] for name in wanted or every]

    def _left(self, evidence: Evidence, shown: Shown) -> npt.NDArray[np.int64]:
        """Return the places of reference rows that no shadow model learned from: they calibrate."""
        return np.setdiff1d(different(evidence.coded("reference")), shown.places)

    def _shown(self, evidence: Evidence, seed: int) -> Shown:
        recipe = shadowing(lambda told: synth.get(self.recipe)(**told), self)
        rows = len(different(evidence.coded("reference")))
        if rows < _FEWEST:
            raise TooFewRows(f"ensemble: expected {_FEWEST} different reference rows or more; got {rows}.")
        most = min(self.records, rows - max(2, rows // _CALIBRATES))
        size = Size(self.models, 1, most, self.workers, self.keep)
        return cast(evidence, "reference", recipe, size, seed)


def _is_shadowed(kind: type[Membership]) -> bool:
    return any(field.name == "recipe" for field in fields(kind))
