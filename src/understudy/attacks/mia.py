"""MIA of paper 000: the best of its five attacks, with the choice of the best paid for.

The five are naive and histogram groundhog (shadow models), closest distance by Hamming and by L2, and the
kernel estimator. The paper reports the largest of five risks; with some 70 decisions each, the largest of
five guesses is 14 points on average, and 28 one time in twenty. Here the attack is chosen on one half of the
targets, and its area under the ROC curve is that on the other half, as is the risk of the paper, 2 accuracy
- 1. The p-value is that of choosing and scoring together (`measuring/panel.py`).

An attack that cannot be run is not chosen, and `coverage` says how many of the five there were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, cast, final

import numpy as np

from understudy import attacks, check, synth
from understudy.errors import ParameterError, UnderstudyError
from understudy.measuring.canonical import order_of
from understudy.measuring.finding import Finding, Score
from understudy.measuring.groundhog import Groundhog
from understudy.measuring.interval import delong
from understudy.measuring.measure import Measure
from understudy.measuring.membership import PROMISED, Floats, Membership, Targets, parts_of
from understudy.measuring.panel import Mask, choose_and_score, halves_of, p_value, risk_beyond
from understudy.measuring.released import suspicion, with_released
from understudy.measuring.shadow_cast import Size
from understudy.measuring.shadowed import shadowing, trained_within, undefined
from understudy.measuring.target_pool import cast_on_targets
from understudy.rng import seed_of, stream
from understudy.table.evidence import Evidence

__all__ = ["MIA"]

_BY_TABLE = ("closest_distance_hamming", "closest_distance_l2", "kernel_estimator")
_BY_SHADOWS = ("naive_groundhog", "hist_groundhog")
_FIVE = len(_BY_TABLE) + len(_BY_SHADOWS)


@final
@dataclass(frozen=True)
class MIA(Measure):
    """The best of the five membership attacks of paper 000, chosen on other targets than it is scored on.

    targets   rows of train, and as many of holdout; half of them are for the choice
    recipe    the name of the synthesizer, for the two attacks that train it again; three are left without it
    settings  of it, as a JSON object; its defaults if there is no text
    budget    of each model, as {"epsilon": 1, "delta": 1e-9}: noise that no seed repeats; none if it is empty
    models    shadow models, an even number; each learns from half of the targets and reference rows
    sets      synthetic sets of each model
    records   reference rows beside the targets, at most
    told_by   what tells sets apart: "ridge", one for all targets, or a "forest" for each, as published
    shuffles  of who is a member, for the p-value
    workers   processes that train models; 0 trains them here, one after another
    keep      a folder where models stay for the next time; they are as private as the rows
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    promised: ClassVar[tuple[str, ...]] = PROMISED

    targets: int = check.integer(10_000, low=2, high=10_000_000)
    recipe: str = check.text("")
    settings: str = check.text("")
    budget: str = check.text("")
    models: int = check.integer(20, low=4, high=10_000)
    sets: int = check.integer(1, low=1, high=100_000)
    records: int = check.integer(5_000, low=2, high=10_000_000)
    told_by: Literal["ridge", "forest"] = check.choice("ridge", "ridge", "forest")
    shuffles: int = check.integer(999, low=19, high=1_000_000)
    workers: int = check.integer(0, low=0, high=1_024)
    keep: str = check.text("")

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Score all targets by every attack, choose on one half, and report the other."""
        if not evidence.has("holdout"):
            return undefined("undefined: it needs a holdout table", 0.5)
        targets = Targets.of(evidence, self.targets, seed_of(rng))
        if targets.size < 2:
            return undefined(
                "undefined: it needs two targets of each kind, to choose on and to score on", 0.5
            )
        scores = self._by_table(targets, evidence, seed_of(rng))
        by_shadows, notes = self._by_shadows(targets, evidence, seed_of(rng))
        return self._chosen(scores | by_shadows, targets, notes, rng)

    def _by_table(self, targets: Targets, evidence: Evidence, seed: int) -> dict[str, Floats]:
        found = {}
        for name in _BY_TABLE:
            attack = cast("type[Membership]", attacks.get(name))()
            found[name] = attack.accuse(targets.rows, evidence, stream(seed, attack.title()))
        return found

    def _by_shadows(
        self, targets: Targets, evidence: Evidence, seed: int
    ) -> tuple[dict[str, Floats], tuple[str, ...]]:
        """Return the scores of the groundhogs, or why there are none."""
        left_out = f"{' and '.join(_BY_SHADOWS)} were left out"
        if not self.recipe:
            return {}, (f"{left_out}: they train the synthesizer again; name it: recipe=..., or --method",)
        if not evidence.has("reference"):
            return {}, (f"{left_out}: they need a reference table",)
        recipe = shadowing(lambda told: synth.get(self.recipe)(**told), self)
        size = Size(self.models, self.sets, self.records, self.workers, self.keep)
        try:
            shown, inside = cast_on_targets(evidence, targets, recipe, size, seed)
        except ParameterError:
            raise
        except UnderstudyError as error:
            return {}, (f"{left_out}: {error}",)
        released, found = with_released(shown, evidence.coded("synthetic")), {}
        for name in _BY_SHADOWS:
            attack, draws = cast("type[Groundhog]", attacks.get(name))(), stream(seed, "mia", name)
            sets, table = (attack.describe(each, draws)(0) for each in (shown, released))
            found[name] = suspicion(sets, table[0], inside, self.told_by, draws)
        return found, trained_within(self)

    def _chosen(
        self, scores: Mapping[str, Floats], targets: Targets, notes: tuple[str, ...], rng: np.random.Generator
    ) -> Finding:
        names, table = list(scores), np.stack(list(scores.values()))
        member = np.arange(2 * targets.size) < targets.size
        choosing = halves_of(member, order_of(targets.rows), stream(seed_of(rng), "mia", "halves"))
        place, _ = choose_and_score(table, member, choosing, ~choosing)
        members, others = table[place, member & ~choosing], table[place, ~member & ~choosing]
        value, (low, high) = delong(members, others)
        parts = parts_of(members, others, rng) | self._beside(table, names, member, choosing)
        parts["p_value"] = p_value(table, member, (choosing, ~choosing), self.shuffles, rng)
        parts["risk"] = risk_beyond(table[place], member, choosing)
        parts["coverage"] = min(parts.get("coverage", 1.0), len(names) / _FIVE)
        said = f"of {len(names)} attacks {names[place]} was chosen, on one half of the targets"
        each = targets.by_place(table[place, : targets.size])
        n = len(members) + len(others)
        return Finding(Score(value, parts), low, high, 0.5, n, (said, *notes, *targets.notes), each)

    def _beside(self, table: Floats, names: list[str], member: Mask, choosing: Mask) -> dict[str, float]:
        """Return the area of every attack on the targets that are scored; the best of them is no finding."""
        return {
            f"{name}.auroc": delong(scores[member & ~choosing], scores[~member & ~choosing])[0]
            for name, scores in zip(names, table, strict=True)
        }
