"""Multinomial diffusion of codes: at each step a code is kept, or drawn anew among its column's levels.

After t steps the record's code is left with probability alpha_bar(t), else any level (Hoogeboom et al. 2021).
So x_t is drawn, and so is q(x_s | x_t, x_0), in the space of codes: no one-hots. That posterior has a weight
for x_0, one for x_t, and one spread over all levels; what a network's guess of x_0 is worth is computed with
probabilities, whose closed forms have no differences, and not with sums of logarithms, which cancel.

K levels, a = alpha_bar, r = a(t) / a(s): q(x_t | x_s = j) is r [j = x_t] + (1 - r) / K.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor, nn

from understudy.engines.diffusion.schedule import Schedule
from understudy.engines.nets.segments import Segments

__all__ = ["Multinomial"]

_TINY = 1e-12  # stands for "nothing is lost" at time -1, where a logarithm is taken but not used


@final
class Multinomial(nn.Module):
    """Codes (b, m) at times (b,), or one time for all; the network's guess of x_0 is logits (b, total).

    The reverse step is a mixture: x_0 as guessed, then x_s given x_0 and x_t (Austin et al. 2021). With a
    perfect guess it is exact for every stride. `plugged` puts the guessed probabilities where x_0's one-hot
    belongs instead, as Hoogeboom et al. and TabDDPM do: another family of steps, meant for s = t - 1 alone.
    """

    shows_known: ClassVar[bool] = False

    def __init__(self, segments: Segments, schedule: Schedule, *, plugged: bool = False) -> None:
        nn.Module.__init__(self)
        self.segments, self.schedule, self.plugged = segments, schedule, plugged

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return (rows, m) codes of which nothing is left: all levels alike."""
        return _anew(self.segments.counts, (rows, len(self.segments.sizes)), generator)

    def noised(
        self, codes: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None
    ) -> Tensor:
        """Draw x_t given codes at time `since`, or given the record itself; at t = -1 these are the codes."""
        share = self.schedule.kept(t) if since is None else self.schedule.between(since, t)[0]
        chance = torch.rand(codes.shape, generator=generator, device=codes.device)
        return torch.where(
            chance < _column(share), codes, _anew(self.segments.counts, codes.shape, generator)
        )

    def probabilities(self, codes: Tensor, t: Tensor) -> Tensor:
        """Return q(x_t | x_0) as a flat vector."""
        kept, rest = _column(self.schedule.kept(t)), _column(self.schedule.lost(t)) / self.segments.counts
        return kept * self.segments.onehot(codes) + self.segments.spread(rest)

    def posterior(self, codes_t: Tensor, guess: Tensor, t: Tensor, s: Tensor) -> Tensor:
        """Return p(x_s | x_t) as a flat vector; `guess` has the probabilities of x_0 (a one-hot if known)."""
        pair, segments = _Pair.of(self.schedule, t, s), self.segments
        likely = segments.place(codes_t, pair.fresh + pair.ratio * segments.counts, pair.fresh)
        return likely / pair.lost_t * _back(self, codes_t, guess, pair)

    def step(
        self, codes_t: Tensor, logits: Tensor, t: Tensor, s: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Draw x_s from p(x_s | x_t)."""
        if self.plugged:
            guess = self.segments.log_softmax(logits).exp()
            return self.segments.draw(self.posterior(codes_t, guess, t, s).log(), generator)
        return self.bridge(codes_t, self.segments.draw(logits, generator), t, s, generator)

    def bridge(
        self, codes_t: Tensor, codes_0: Tensor, t: Tensor, s: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Draw x_s from q(x_s | x_t, x_0)."""
        anew, stay = _weights(codes_t == codes_0, self.segments.counts, _Pair.of(self.schedule, t, s))
        chance = torch.rand(codes_t.shape, generator=generator, device=codes_t.device)
        other = _anew(self.segments.counts, codes_t.shape, generator)
        return torch.where(chance < anew, other, torch.where(chance < anew + stay, codes_t, codes_0))

    def kl(self, logits: Tensor, codes_0: Tensor, codes_t: Tensor, t: Tensor) -> Tensor:
        """Return (b, m): KL(q(x_t-1 | x_t, x_0), p(x_t-1 | x_t)); where t = 0, -log p(x_0 | x_t).

        T times its mean over t, plus `prior_kl`, bounds the record's negative log-likelihood.
        """
        logs = self.segments.log_softmax(logits)
        pair = _Pair.of(self.schedule, t, t - 1)
        first = _nll(self, logs, codes_0, codes_t, pair)
        return torch.where(_column(t == 0), first, _kl(self, logs.exp(), codes_0, codes_t, pair))

    def prior_kl(self) -> Tensor:
        """Return (m,): KL(q(x_T-1 | x_0), uniform), which is the same for every x_0."""
        counts, kept = self.segments.counts, self.schedule.alpha_bar[-1]
        rest = (1 - kept) / counts
        same = kept + rest
        return same * (counts * same).log() + (counts - 1) * rest * (counts * rest).log()

    def cross_entropy(self, logits: Tensor, codes_0: Tensor) -> Tensor:
        """Return (b, m): -log of the guessed probability of x_0."""
        return self.segments.cross_entropy(logits, codes_0)


@final
@dataclass(frozen=True, eq=False)
class _Pair:
    """What the schedule says of times s < t, as columns beside (b, m)."""

    kept_s: Tensor
    lost_s: Tensor
    kept_t: Tensor
    lost_t: Tensor
    ratio: Tensor
    fresh: Tensor

    @staticmethod
    def of(schedule: Schedule, t: Tensor, s: Tensor) -> _Pair:
        tables = (schedule.kept(s), schedule.lost(s), schedule.kept(t), schedule.lost(t))
        return _Pair(*(_column(each) for each in (*tables, *schedule.between(s, t))))


def _weights(same: Tensor, counts: Tensor, pair: _Pair) -> tuple[Tensor, Tensor]:
    """Return what q(x_s | x_t, x_0) gives to all levels together and to x_t; the rest is x_0's."""
    anew = pair.fresh * pair.lost_s / torch.where(same, counts * pair.kept_t + pair.lost_t, pair.lost_t)
    return anew, torch.where(same, 0.0, pair.ratio * pair.lost_s / pair.lost_t)


def _back(chain: Multinomial, codes_t: Tensor, guess: Tensor, pair: _Pair) -> Tensor:
    """Return p(x_s | x_t) / (K q(x_t | x_s) / lost_t): the factor that depends on the guess."""
    segments, counts = chain.segments, chain.segments.counts
    if chain.plugged:
        flat = pair.kept_s * guess + pair.lost_s * segments.spread(1 / counts)
        mass = pair.fresh + pair.ratio * counts * segments.at(flat, codes_t)
        return flat * segments.spread(pair.lost_t / mass)
    # By Bayes' rule each x_0 counts by guess / q(x_t | x_0), and that takes two values, of this ratio.
    weight = guess * segments.place(codes_t, _rarity(counts, pair), torch.ones_like(pair.lost_t))
    return pair.kept_s * weight + pair.lost_s * segments.spread(segments.sums(weight) / counts)


def _rarity(counts: Tensor, pair: _Pair) -> Tensor:
    """Return q(x_t | another x_0) / q(x_t | x_0 = x_t)."""
    return pair.lost_t / (counts * pair.kept_t + pair.lost_t)


def _kl(chain: Multinomial, guess: Tensor, codes_0: Tensor, codes_t: Tensor, pair: _Pair) -> Tensor:
    # sum of q log(q / p): q is anew / K everywhere, and more at x_0 and x_t. In q / p the factor that both
    # share falls away, and what is left of q is `high` at x_0 and `low` elsewhere.
    counts, same = chain.segments.counts, codes_0 == codes_t
    pair = replace(pair, lost_s=pair.lost_s.clamp(min=_TINY))
    anew, stay = _weights(same, counts, pair)
    log_p = _back(chain, codes_t, guess, pair).log()
    scale = torch.where(same, _rarity(counts, pair), 1.0)
    low = (scale * pair.lost_s / counts).log()
    high = (scale * (pair.kept_s + pair.lost_s / counts)).log()
    everywhere = (counts - 1) * low + high - chain.segments.sums(log_p)
    at_0 = high - chain.segments.at(log_p, codes_0)
    at_t = torch.where(same, high, low) - chain.segments.at(log_p, codes_t)
    return anew / counts * everywhere + stay * at_t + (1 - anew - stay) * at_0


def _nll(chain: Multinomial, logs: Tensor, codes_0: Tensor, codes_t: Tensor, pair: _Pair) -> Tensor:
    segments = chain.segments
    if chain.plugged:  # the guess times q(x_t | x_0): the same family of steps with s = -1
        likely = segments.place(codes_t, pair.lost_t + pair.kept_t * segments.counts, pair.lost_t)
        logs = segments.log_softmax(logs + likely.log())
    return -segments.at(logs, codes_0)


def _anew(counts: Tensor, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    chance = torch.rand(shape, generator=generator, device=counts.device)
    return torch.minimum((chance * counts).long(), counts - 1)  # (1 - 2^-24) K may round to K


def _column(values: Tensor) -> Tensor:
    return values[..., None]
