"""The losses of generator and critic: Wasserstein with a gradient penalty, or logistic.

Both learn in the same step from one batch of made rows, instead of one after the other from two: the
generator's forward pass, which costs most, is taken once. A generated row has its numbers as they are told,
within [-1, 1] where they are bounded, and a soft one-hot for each code (Gumbel-softmax, Jang et al. 2017),
over all columns at once. What was asked for is a cross-entropy on the asked column (Xu et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.engines.diffusion.rows import Rows
from understudy.engines.fields import Fields
from understudy.engines.gan.conditions import Conditions, RowsByLevel
from understudy.engines.gan.networks import Critic, GeneratorNetwork, Size
from understudy.engines.nets.segments import Segments
from understudy.engines.training.game import Game, Loss, Picks

__all__ = ["Duel", "Networks", "Rules"]

MADE, SETTLING = 4_096, 6  # rows made to see how common levels are, and how often
PACE, FARTHEST = 0.7, 3.0  # of what a level lacks, and how far a logit may be moved
ROUNDS = 3  # rows that a generator makes of made ones before one is kept


@final
@dataclass(frozen=True)
class Rules:
    """How the networks learn from each other.

    `loss` is the critic's; `penalty` is the weight of (slope - 1)^2 between made and real rows (Gulrajani et
    al. 2017), 0 for none. `temperature` is that of soft one-hots; `bounded` numbers end at -1 and 1. `logs`
    asks for levels by the log of their counts; without `asks` nothing is asked for. `apart` pushes a made row
    away from a real one, by this weight (ADS-GAN, Yoon et al. 2020): from the row of the batch that it stands
    beside; with `given` that is the row that the generator was given beside its noise. `moments` is the
    weight of what made and real rows of a batch differ by in how often levels, or a number and a level, go
    together: the mean square over pairs of columns, which no critic has to find out first.
    """

    loss: Literal["wasserstein", "logistic"] = "wasserstein"
    penalty: float = 10.0
    temperature: float = 0.2
    bounded: bool = True
    logs: bool = True
    apart: float = 0.0
    given: bool = False
    asks: bool = True
    moments: float = 0.0
    size: Size = field(default_factory=Size)


class Made(NamedTuple):
    """Rows as the generator tells them: numbers and logits, and soft rows that a critic can judge."""

    logits: Tensor
    soft: Tensor


@final
class Networks(nn.Module):
    """Generator and critic of rows with these fields, and what is asked of rows."""

    offsets: Tensor
    gone: Tensor

    def __init__(self, fields: Fields, rules: Rules, rows: float, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.fields, self.rules, self.gaps = fields, rules, max(fields.flags, default=-1) >= 0
        self.rows, self.segments = Rows(fields), Segments(fields.sizes)
        self.conditions = Conditions(fields if rules.asks else Fields((), (), ()), rows)
        self.seen, asked = len(fields.numbers) + fields.levels, self.conditions.total
        entry = rules.size.latent + (self.seen if rules.given else 0)
        self.generator = GeneratorNetwork(entry, asked, self.seen, rules.size, generator)
        self.critic = Critic(self.seen, asked, rules.size, generator)
        self.register_buffer("offsets", torch.zeros(fields.levels))
        self.register_buffer("gone", _gone(fields), persistent=False)
        _begin_at_shares(self.generator.leave.linear, fields)

    def begin_at_margins(self) -> None:
        """Let the first rows have numbers that are standard normal, each by itself."""
        last, numbers, latent = self.generator.leave, len(self.fields.numbers), self.rules.size.latent
        with torch.no_grad():
            last.linear.weight[:numbers] = 0.0
            last.linear.weight[:numbers, -latent:].fill_diagonal_(1.0)  # noise stands behind what it became
            if last.table is not None:
                last.table[:, :numbers] = 0.0

    def told(
        self, places: Tensor, noise: torch.Generator, given: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return numbers (b, k) and logits (b, total) of rows made of noise, and of the rows given."""
        latent = torch.randn(len(places), self.rules.size.latent, generator=noise, device=noise.device)
        told = self.generator(latent if given is None else torch.cat([latent, given], -1), places)
        count = len(self.fields.numbers)
        numbers, logits = told[..., :count], told[..., count:]
        return (numbers.tanh() if self.rules.bounded else numbers), logits

    def drawn(self, places: Tensor, noise: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return numbers and logits of rows that are made of noise alone.

        A generator that wants rows is given made ones, over and over, first of all an empty one: what it
        makes of real rows looks real, and so does what it makes of rows that do.
        """
        if not self.rules.given:
            numbers, logits = self.told(places, noise)
            return numbers, logits + self.offsets
        given = self.offsets.new_zeros(len(places), self.seen)
        for _ in range(ROUNDS):
            numbers, logits = self.told(places, noise, given)
            given = self._seen(numbers, self.segments.onehot(self.segments.draw(logits, noise)))
        numbers, logits = self.told(places, noise, given)
        return numbers, logits + self.offsets

    def settle(self, noise: torch.Generator) -> None:
        """Move logits until levels come out as common as the fields say, as far as a little can do that.

        Nothing but made rows and shares is looked at: those were counted, or bought, before.
        """
        if not self.segments.total:
            return
        shares = torch.from_numpy(np.concatenate(self.fields.shares)).to(self.offsets)
        self.eval()
        with torch.no_grad():
            for _ in range(SETTLING):
                places = self.conditions.draw(MADE, noise)
                codes = self.segments.draw(self.drawn(places, noise)[1], noise)
                found = self.segments.onehot(codes).mean(0)
                step = ((shares + 1 / MADE) / (found + 1 / MADE)).log_()
                self.offsets.add_(PACE * step).clamp_(-FARTHEST, FARTHEST)

    def make(self, places: Tensor, noise: torch.Generator, given: Tensor | None = None) -> Made:
        """Return rows that a critic can judge, and learn from."""
        numbers, logits = self.told(places, noise, given)
        if not self.segments.total:
            return Made(logits, numbers)
        chance = torch.rand(logits.shape, generator=noise, device=noise.device)
        drawn = logits - chance.clamp_(1e-20, 1 - 1e-7).log_().neg_().log_()
        soft = self.segments.log_softmax(drawn / self.rules.temperature).exp()
        return Made(logits, self._seen(numbers, soft))

    def hardened(self, made: Made) -> Tensor:
        """Return made rows with the level that each draw was nearest to; nothing learns by it."""
        count, soft = len(self.fields.numbers), made.soft.detach()
        if not self.segments.total:
            return soft
        return self._seen(soft[:, :count], self.segments.onehot(self.segments.argmax(soft[:, count:])))

    def shown(self, rows: Tensor) -> Tensor:
        """Return real rows the way that made ones look."""
        numbers, codes = self.rows.split(rows)
        if self.rules.bounded:
            numbers = numbers.clamp(-1.0, 1.0)
        return self._seen(numbers, self.segments.onehot(codes))

    def _seen(self, numbers: Tensor, onehots: Tensor) -> Tensor:
        """Return rows side by side; a number that is missing may be anything, and so is hidden."""
        if self.gaps:
            numbers = numbers * (1 - onehots @ self.gone)
        return torch.cat([numbers, onehots], -1)

    def missed(self, logits: Tensor, places: Tensor) -> Tensor:
        """Return the mean cross-entropy of the places that were asked for."""
        if not self.conditions.total:
            return logits.new_zeros(())
        return -self.segments.log_softmax(logits).gather(-1, places[:, None]).mean()


@final
class Duel(Game):
    """The game of two networks over rows; `written` is `duel` with its derivatives written out."""

    def __init__(self, networks: Networks, batch: int, written: Loss | None = None) -> None:
        self._networks, self._batch, self._rules = networks, batch, networks.rules
        self.written = written

    @property
    def both(self) -> nn.Module:
        """Both networks."""
        return self._networks

    @property
    def critic(self) -> nn.Module:
        """The network that is shown rows."""
        return self._networks.critic

    @property
    def generator(self) -> nn.Module:
        """The network that is shown nothing but the critic."""
        return self._networks.generator

    def picks(self, rows: Tensor) -> Picks:
        """Return how rows are picked: by a level that they are asked for."""
        networks = self._networks
        fields = networks.fields if self._rules.asks else Fields(tuple(range(rows.shape[1])), (), ())
        return RowsByLevel(rows, fields, networks.conditions, logs=self._rules.logs)

    def duel(self, both: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the sum of both losses; the critic's has no part in the generator, nor the reverse."""
        assert isinstance(both, Networks), "the game is that of these networks"
        places = rows[:, -1].long()
        real = both.shown(rows[:, :-1])
        made = both.make(places, noise, real if self._rules.given else None)
        groups = [both.critic.together(part) for part in (made.soft, real, places)]
        lost = self._critics(both.critic, groups[0].detach(), groups[1:], noise)
        lost = lost + self._generators(both.critic.frozen(groups[0], groups[2], noise)).mean()
        lost = lost + both.missed(made.logits, places)
        if self._rules.moments:
            lost = lost + self._rules.moments * _gap(made.soft, real) / both.fields.width**2
        if self._rules.apart:
            lost = lost - self._rules.apart * _distance(made.soft, real)
        return lost.expand(len(rows))

    def judge(self, critic: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): each record beside a row made for a level that the record has.

        Nothing here looks at two records: the generator has no norm over the batch (`learn` sees to that).
        """
        assert isinstance(critic, Critic), "the critic is that of these networks"
        networks = self._networks
        places = networks.conditions.of(networks.rows.split(rows)[1], noise)
        with torch.no_grad():
            made = networks.make(places, noise).soft
        pair = torch.stack([made, networks.shown(rows)], 1)
        scores = critic(pair, places[:, None, None].expand(-1, 2, 1))  # (b, 2)
        return self._told_apart(scores[:, 0], scores[:, 1])

    def answer(self, noise: torch.Generator) -> Tensor:
        """Return the generator's loss of a batch that it makes."""
        networks = self._networks
        places = networks.conditions.draw(self._batch, noise)
        made = networks.make(places, noise)
        scores = networks.critic.frozen(made.soft, places[:, None])
        return self._generators(scores).mean() + networks.missed(made.logits, places)

    def _critics(self, critic: Critic, made: Tensor, shown: list[Tensor], noise: torch.Generator) -> Tensor:
        real, places = shown
        scores = critic(torch.cat([made, real]), torch.cat([places, places]), noise)
        lost = self._told_apart(*scores.chunk(2)).mean()
        if not self._rules.penalty:
            return lost
        share = torch.rand(len(made), 1, generator=noise, device=noise.device)
        slopes = critic.slopes(made + share * (real - made), places, noise)
        return lost + self._rules.penalty * (slopes - 1).square().mean()

    def _told_apart(self, made: Tensor, real: Tensor) -> Tensor:
        if self._rules.loss == "wasserstein":
            return made - real
        return functional.softplus(made) + functional.softplus(-real)

    def _generators(self, scores: Tensor) -> Tensor:
        return -scores if self._rules.loss == "wasserstein" else functional.softplus(-scores)


def _begin_at_shares(last: nn.Linear, fields: Fields) -> None:
    """Let the first rows have levels about as common as they are."""
    shares = np.concatenate([np.zeros(len(fields.numbers)), *(np.log(each) for each in fields.shares)])
    with torch.no_grad():
        last.bias.copy_(torch.from_numpy(shares))


def _gap(made: Tensor, real: Tensor) -> Tensor:
    """Return the sum of squares by which the second moments of two batches differ."""
    return (made.T @ made - real.T @ real).square().sum() / len(made) ** 2


def _gone(fields: Fields) -> Tensor:
    """Return (levels, numbers): 1 where a level says that a number is missing."""
    found = torch.zeros(fields.levels, len(fields.numbers))
    starts = np.cumsum([0, *fields.sizes])
    for number, flag in enumerate(fields.flags):
        if flag >= 0:
            found[starts[fields.codes.index(flag)] + 1, number] = 1.0
    return found


def _distance(made: Tensor, real: Tensor) -> Tensor:
    """Return the mean distance of rows that stand beside each other."""
    return ((made - real).square().sum(-1) + 1e-12).sqrt().mean()
