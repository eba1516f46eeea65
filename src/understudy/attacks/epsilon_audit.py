"""An audit of epsilon itself: the least epsilon that explains what an attacker finds, beside what is claimed.

mode "one_run"  canaries are in a table by the throw of a coin each, and who was in it is guessed from what
                was made of it (Steinke et al. 2023). Without a recipe the given tables are the run: rows of
                train were in, rows of holdout were out, and the synthetic table is what was made.
mode "runs"     many fits of two tables that differ by one row, the rarest one that its cells make
                (Jagielski et al. 2020, Nasr et al. 2023). Fits are replayed on the other table: what they ask
                may not change, nor what a mechanism sees move by more than its sensitivity.

An attacker who sees the synthetic table looks for the row next to a canary. One who sees the model has,
beside it, how likely all that was released is with the row and without it: exactly where a law is known, and
along the row's own clipped gradient where steps were noisy (Nasr et al. 2023); the last noisy step by itself,
which no noise of earlier ones hides; and the loss of a diffusion.

It fails (part `exceeds`, and a note) when the bound is above the claim: the certificate's curve, or the
budget's where the certificate itself says that rows were read in the open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy import check
from understudy.errors import ParameterError
from understudy.measuring.bounds import bounds_of_several
from understudy.measuring.canaries import rarest, strange, unlike
from understudy.measuring.claim import BUDGET, claim_of, curve_under, of_budget
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import delong
from understudy.measuring.likelihood import has_law, log_ratio
from understudy.measuring.measure import Level, Measure
from understudy.measuring.one_run import best_of_guesses, mu_of_rates
from understudy.measuring.view import look
from understudy.model.audited_fit import AuditedFit, Fitting
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Certificate
from understudy.privacy.closed_forms import epsilon_of_mu
from understudy.privacy.replay import Tape
from understudy.rng import seed_of, stream
from understudy.table.evidence import Evidence

__all__ = ["EpsilonAudit"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_SEEDS = 2**63
_UNHEARD = (
    "noisy steps were taken on a device and could not be listened to, so that a leak in them may be missed: "
    'audit with device="cpu" in the settings'
)


class _Scored(NamedTuple):
    """Scores of canaries, which of them were in, and what is claimed."""

    scores: Floats
    members: Flags
    claim: Certificate


@final
@dataclass(frozen=True)
class EpsilonAudit(Measure):
    """The least epsilon that surely explains what an attacker finds, against what is claimed.

    recipe      name of the synthesizer to be fitted; empty: the given synthetic table is judged as it is
    settings    its settings, as "steps=2,rate=0.5"
    epsilon, delta, separation   the budget of every fit, and the claim; a separation above 0 takes the place
                of epsilon. The bound on epsilon is at this delta
    sees        what the attacker has: the whole model and all that was released, or a synthetic table
    runs        fits of each of the two tables, in mode "runs"
    canaries    rows that coins are thrown for, in each of `tables` tables, in mode "one_run"
    rows        of train, that are in every table beside the canaries; among none, nothing hides a row
    resumed     whether every training is cut off at its first checkpoint, after 64 steps, and taken up again
    drawn       synthetic rows of every model
    confidence  of the bound
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    level: ClassVar[Level] = "full"

    recipe: str = check.text("")
    settings: str = check.text("")
    mode: str = check.choice("one_run", "one_run", "runs")
    sees: str = check.choice("model", "model", "synthetic")
    epsilon: float = check.number(1.0, low=1e-3, high=1_000.0)
    delta: float = check.number(1e-5, low=1e-12, high=0.1)
    separation: float = check.number(0.0, low=0.0, high=0.7)
    runs: int = check.integer(200, low=4, high=1_000_000)
    canaries: int = check.integer(1_000, low=1, high=1_000_000)
    tables: int = check.integer(1, low=1, high=100_000)
    rows: int = check.integer(100, low=0, high=10_000_000)
    resumed: bool = check.flag(False)
    drawn: int = check.integer(1_000, low=1, high=1_000_000)
    confidence: float = check.number(0.95, low=0.5, high=0.999999)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Audit the given tables, or fits of a recipe."""
        if self.recipe:
            return self._by_runs(evidence, rng) if self.mode == "runs" else self._by_canaries(evidence, rng)
        if self.mode == "runs":
            return _undefined("many runs need a recipe to fit")
        if not evidence.has("holdout"):
            return _undefined("it needs a holdout table, or a recipe to fit")
        return self._given(evidence, rng)

    def _given(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Take the tables as they are for the one run."""
        train, holdout = evidence.coded("train"), evidence.coded("holdout")
        size = min(self.canaries, len(train), len(holdout))
        draws = stream(seed_of(rng), "targets")
        chosen = [t.take(np.sort(draws.choice(len(t), size, replace=False))) for t in (train, holdout)]
        found = look(evidence, ("synthetic",)).nearest(chosen[0].joined(chosen[1]), "synthetic")
        scored = _Scored(
            -np.square(found.distances[:, 0]), np.arange(2 * size) < size, of_budget(self._budget())
        )
        return self._judged([scored], ("rows of train and of holdout stand for canaries",))

    def _by_canaries(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Fit tables with canaries by coin, and score all canaries."""
        fitting, real = self._fitting(evidence)
        found = []
        for _ in range(self.tables):
            canaries, base = strange(real, self.canaries, rng), _some(real, self.rows, rng)
            members = rng.random(self.canaries) < 0.5
            fit = fitting.fit(pa.concat_tables([base, canaries.filter(pa.array(members))]), _seed(rng))
            scores = self._scores(fit, canaries, _seed(rng))
            found.append(_Scored(scores, members, claim_of(fit.claim, fitting.budget)))
        return self._judged(found, ())

    def _by_runs(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Fit two tables that differ by one row many times, and tell them apart by all that is seen."""
        fitting, real = self._fitting(evidence)
        odd = rarest(real)
        base = unlike(real, odd, self.rows, rng)
        worlds = base, pa.concat_tables([base, odd])
        start = _seed(rng)
        first = fitting.fit(worlds[0], start)
        claim = claim_of(first.claim, fitting.budget)
        broken = fitting.replayed(worlds[1], first.tape, start)[1]
        seen: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
        unheard = 0
        for run in range(2 * self.runs):
            seed, having = _seed(rng), run % 2
            fit = fitting.fit(worlds[having], seed, odd if self.sees == "model" else None)
            told, unheard = self._seen_of(fit, odd, seed), unheard + fit.unheard
            if self.sees == "model" and not broken:
                # With the same seed: a network that starts elsewhere would ask something else.
                other, broken = fitting.replayed(worlds[1 - having], fit.tape, seed)
                told |= _spoken(fit, None if broken else other, having=bool(having))
            seen[having].append(told)
        notes = [f"replayed on a neighbour: {what}" for what in broken[:3]]
        notes += [_UNHEARD] if unheard else []
        return self._told_apart(*_columns(seen), claim, broken=len(broken), notes=notes)

    def _told_apart(
        self,
        without: dict[str, Floats],
        having: dict[str, Floats],
        claim: Certificate,
        *,
        broken: int,
        notes: list[str],
    ) -> Finding:
        # Two bounds are compared with a claim: together they hold as asked.
        each = 1 - (1 - self.confidence) / 2
        found = bounds_of_several(without, having, delta=self.delta, confidence=each)
        exceeds = bool(broken) or not found.within(claim)
        # Which statistic is drawn has no part in the bound: that pays for all of them.
        best = max(without, key=lambda name: delong(having[name], without[name])[0])
        parts = {
            "mu": found.mu,
            "epsilon_by_mu": epsilon_of_mu(found.mu, self.delta),
            "allowed": claim.epsilon(self.delta),
            "exceeds": float(exceeds),
            "broken": float(broken),
        }
        if math.isfinite(allowed := found.allowed(claim)):
            parts["allowed_mu"] = allowed
        parts |= curve_under(having[best], without[best], claim)
        high = max(found.epsilon, _estimate(having[best], without[best]))
        score = Score(found.epsilon, parts)
        return Finding(score, found.epsilon, high, 0.0, 2 * self.runs, (*notes, *_verdict(exceeds, claim)))

    def _judged(self, found: list[_Scored], notes: tuple[str, ...]) -> Finding:
        scores = np.concatenate([each.scores for each in found])
        members = np.concatenate([each.members for each in found])
        if members.all() or not members.any():
            return _undefined("all coins fell alike; throw more")
        claim = max((each.claim for each in found), key=lambda claim: claim.epsilon(self.delta))
        value, guesses = best_of_guesses(scores, members, self.delta, self.confidence)
        inside, outside = scores[members], scores[~members]
        middle = float(np.median(scores))
        rates = [(int((group > middle).sum()), len(group)) for group in (inside, outside)]
        mu, by_mu = mu_of_rates(rates[0], rates[1], self.delta, self.confidence)
        allowed = claim.epsilon(self.delta)
        parts = {"mu": mu, "epsilon_by_mu": by_mu, "allowed": allowed, "exceeds": float(value > allowed)}
        parts |= {"guesses": float(guesses.made), "right": float(guesses.right)}
        parts |= curve_under(inside, outside, claim)
        high = max(value, _estimate(inside, outside))
        said = (*notes, *_verdict(value > allowed, claim))
        return Finding(Score(value, parts), value, high, 0.0, len(scores), said)

    def _seen_of(self, fit: AuditedFit, odd: pa.Table, seed: int) -> dict[str, float]:
        """Return what a fit says of the row in question, by the synthetic table and by the model."""
        found = {"nearest": float(_nearness(fit, odd, self.drawn, seed)[0])}
        losses = fit.losses(odd, seed) if self.sees == "model" else None
        return found if losses is None else found | {"loss": -float(losses[0])}

    def _scores(self, fit: AuditedFit, canaries: pa.Table, seed: int) -> Floats:
        losses = fit.losses(canaries, seed) if self.sees == "model" else None
        return _nearness(fit, canaries, self.drawn, seed) if losses is None else -losses

    def _fitting(self, evidence: Evidence) -> tuple[Fitting, pa.Table]:
        """Return how tables are fitted, and the real rows with the columns that are judged."""
        names = evidence.coding.names
        real = evidence.table("train").to_arrow().select(list(names))
        columns = tuple(column for column in evidence.schema.columns if column.name in names)
        schema = evidence.schema.model_copy(update={"columns": columns})
        recipe = _recipe(self.recipe, self.settings)
        return Fitting(recipe, schema.declare(), self._budget(), self.resumed), real

    def _budget(self) -> Budget:
        if self.separation > 0:
            return Budget.separation(self.separation)
        return Budget(epsilon=self.epsilon, delta=self.delta)


def _some(real: pa.Table, rows: int, rng: np.random.Generator) -> pa.Table:
    places = rng.choice(real.num_rows, min(rows, real.num_rows), replace=False)
    return real.take(pa.array(np.sort(places)))


def _recipe(name: str, settings: str) -> Recipe:
    from understudy import synth

    method = synth.get(name)
    pairs = [each.partition("=") for each in settings.split(",") if each.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise ParameterError('epsilon_audit: settings must be like "steps=2,rate=0.5".')
    found = {key.strip(): check.parse(method, key.strip(), text.strip()) for key, _, text in pairs}
    return method(**found)


def _nearness(fit: AuditedFit, rows: pa.Table, drawn: int, seed: int) -> Floats:
    """Return minus the squared distance of each row to the nearest synthetic one."""
    synthetic = fit.model.sample_table(drawn, seed=seed).to_arrow()
    shown = Evidence(train=rows, synthetic=synthetic, schema=fit.model.schema)
    found = look(shown, ("synthetic",)).nearest(shown.coded("train"), "synthetic")
    return np.asarray(-np.square(found.distances[:, 0]), dtype=np.float64)


def _spoken(fit: AuditedFit, other: Tape | None, *, having: bool) -> dict[str, float]:
    """Return how much all that was released speaks for the row, and the last noisy step by itself."""
    last = {"last": fit.heard[-1]} if fit.heard else {}
    if other is None:
        return last
    sign = 1 if having else -1
    return last | {"released": sign * _leaning(fit.tape, other) + math.fsum(fit.heard)}


def _leaning(tape: Tape, other: Tape) -> float:
    """Return how much likelier what was released by known laws is with the table it was released from."""
    pairs = [pair for pair in zip(tape.steps, other.steps, strict=True) if has_law(pair[0].mechanism)]
    return float(sum(log_ratio(a.mechanism, a.output, a.statistic, b.statistic) for a, b in pairs))


def _columns(
    seen: tuple[list[dict[str, float]], list[dict[str, float]]],
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return each statistic of both tables that all of their runs have."""
    names = [name for name in seen[0][0] if all(name in run for runs in seen for run in runs)]
    without, having = ({name: np.array([run[name] for run in runs]) for name in names} for runs in seen)
    return without, having


def _estimate(members: Floats, others: Floats) -> float:
    """Return the epsilon of the threshold that parts both groups best: an estimate that flatters."""
    at = np.unique(np.concatenate([members, others]))
    hits, alarms = (np.array([(group >= one).sum() for one in at]) for group in (members, others))
    best = int((hits / len(members) - alarms / len(others)).argmax())
    rates = [(count[best] + 0.5) / (len(group) + 1) for count, group in ((hits, members), (alarms, others))]
    return max(0.0, math.log(rates[0] / rates[1]), math.log((1 - rates[1]) / (1 - rates[0])))


def _verdict(exceeds: bool, claim: Certificate) -> tuple[str, ...]:
    said = []
    if any(entry.what == BUDGET for entry in claim.entries):
        said.append("no certificate bounds this: it is judged against what the budget would allow")
    if exceeds:
        said.append("FAILED: what was found is more than is claimed")
    return tuple(said)


def _undefined(why: str) -> Finding:
    return Finding(Score(math.nan), math.nan, math.nan, 0.0, 0, (f"undefined: {why}",))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(_SEEDS))
