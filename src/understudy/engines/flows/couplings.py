"""A flow of rows: couplings that each move some coordinates as those drawn before them say.

A coupling keeps what it sees and moves the rest (Dinh et al. 2017), so that it can be inverted however the
network between is made. Numbers are moved by rational-quadratic splines (`splines`) onto normal noise. Levels
are dequantised: each is a part of the unit interval, as long as it is common, and a row's place within its
part is even noise; the coupling stretches the parts by a line for each (Mueller et al. 2019), as long as a
softmax says. Of a level a later coupling sees which one it is and not the place within, so that the density
is even within a part: what is computed is the probability of the level itself, and no bound on it.

Each coordinate is moved once, by a network of its own: rows of few levels first, numbers last. To draw a row
takes each network once, as the density does. A number that is missing, as its flag says, is seen by nobody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.fields import Fields
from understudy.engines.flows.splines import Spline, parameters
from understudy.engines.nets.perceptron import linear
from understudy.engines.nets.segments import Segments
from understudy.errors import ParameterError

__all__ = ["Couplings", "Drawn", "FlowShape"]

Floats = npt.NDArray[np.float64]

_FAR = 6.0  # numbers are seen no farther out


@final
@dataclass(frozen=True)
class FlowShape:
    """How large the networks are, and how the splines of numbers are cut.

    There are at most `couplings`; where there are more coordinates some share one, and are then independent
    of each other given those before.
    """

    width: int = 64
    depth: int = 2
    bins: int = 16
    reach: float = 5.0
    couplings: int = 64

    def __post_init__(self) -> None:
        if min(self.width, self.depth, self.bins, self.couplings) < 1 or self.reach <= 0:
            raise ParameterError("FlowShape: sizes must be 1 or more, and reach above 0.")


class Drawn(NamedTuple):
    """Codes (b, m), numbers (b, q), and how likely the given ones of each row were (b,)."""

    codes: Tensor
    numbers: Tensor
    log_weight: Tensor


@final
class Couplings(nn.Module):
    """The networks of all couplings, codes in rising order of their levels; it starts out as shares say.

    Codes come and go in the flow's own order, that of `code_places`.
    """

    flags: Tensor
    codes: Tensor
    numbers: Tensor

    def __init__(self, fields: Fields, shape: FlowShape, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.fields, self.shape = fields, shape
        order = sorted(range(len(fields.codes)), key=lambda at: (fields.sizes[at], at))
        self.code_places = tuple(fields.codes[at] for at in order)
        self.segments = Segments([fields.sizes[at] for at in order])
        flags = [self.code_places.index(flag) if flag >= 0 else -1 for flag in fields.flags]
        places = {"flags": flags, "codes": self.code_places, "numbers": fields.numbers}
        for name, at in places.items():
            self.register_buffer(name, torch.tensor(at, dtype=torch.int64), persistent=False)
        self._turns = _turns(len(order), len(fields.numbers), shape.couplings)
        self.parts = nn.ModuleList(Segments(self.segments.sizes[turn]) for turn in self._turns[0])
        self.says = nn.ModuleList(self._networks([np.log(fields.shares[at]) for at in order], generator))

    def log_density(
        self, codes: Tensor, numbers: Tensor, ends: tuple[Tensor, Tensor] | None = None
    ) -> Tensor:
        """Return (b,): log probability of the codes, and log density of the numbers that are not missing.

        With `ends`, (b, q) each, the probability of what lies between them takes the place of the density at
        a number; where they are NaN it does not.
        """
        logits, spline = self._told(self._seen(codes, numbers))
        chances = self.segments.at(self.segments.log_softmax(logits), codes).sum(-1)
        each = _log_normal(*spline.forward(numbers))
        if ends is not None:
            low, high = (spline.forward(torch.nan_to_num(end))[0] for end in ends)
            each = torch.where(torch.isnan(ends[0]), each, _log_between(low, high))
        return chances + torch.where(self._missing(codes), 0.0, each).sum(-1)

    def draw(
        self, given: tuple[Tensor, Tensor], known: tuple[Tensor, Tensor], noise: torch.Generator
    ) -> Drawn:
        """Return rows with the given codes and numbers where they are known, and how likely those were."""
        codes, numbers = (part.clone() for part in given)
        fixed, held = known
        seen, weight = numbers.new_ones((len(numbers), 1)), numbers.new_zeros(len(numbers))
        of_codes, of_numbers = self._turns
        networks = iter(self.says)
        for turn, part in zip(of_codes, self.parts, strict=True):
            assert isinstance(part, Segments), "levels side by side"
            logs, here = part.log_softmax(next(networks)(seen)), fixed[:, turn]
            codes[:, turn] = torch.where(here, codes[:, turn], part.draw(logs, noise))
            weight = weight + torch.where(here, part.at(logs, codes[:, turn]), 0.0).sum(-1)
            seen = torch.cat([seen, part.onehot(codes[:, turn])], -1)
        missing = self._missing(codes)
        for turn in of_numbers:
            spline, here, gone = self._spline(next(networks)(seen)), held[:, turn], missing[:, turn]
            fresh = torch.randn(here.shape, generator=noise, device=seen.device)
            weight = weight + torch.where(
                here & ~gone, _log_normal(*spline.forward(numbers[:, turn])), 0.0
            ).sum(-1)
            # A missing number is noise of any kind: nobody reads it.
            drawn = torch.where(gone, fresh, spline.inverse(fresh))
            numbers[:, turn] = torch.where(here, numbers[:, turn], drawn)
            seen = torch.cat([seen, _shown(numbers[:, turn], gone)], -1)
        return Drawn(codes, numbers, weight)

    def split(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return codes and numbers of rows (b, width) of a matrix, each in the order of the flow."""
        return rows.index_select(1, self.codes).long(), rows.index_select(1, self.numbers)

    def _networks(self, shares: list[Floats], generator: torch.Generator) -> list[nn.Module]:
        """Return a network for each turn; at first they say shares of levels and splines that do nothing."""
        (of_codes, of_numbers), told = self._turns, parameters(self.shape.bins)
        sizes = [0, *accumulate(self.segments.sizes)]
        sees = [1 + sizes[turn.start] for turn in of_codes]
        sees += [1 + sizes[-1] + turn.start for turn in of_numbers]
        says = [np.concatenate(shares[turn]) for turn in of_codes]
        says += [np.zeros(told * (turn.stop - turn.start)) for turn in of_numbers]
        return [_network(s, first, self.shape, generator) for s, first in zip(sees, says, strict=True)]

    def _told(self, seen: Tensor) -> tuple[Tensor, Spline]:
        """Return logits of all levels and splines of all numbers; a network sees what is drawn before it."""
        said = [says(seen[:, : _inputs(says)]) for says in self.says]
        first = len(self._turns[0])
        nothing = seen[:, :0]
        return torch.cat([nothing, *said[:first]], -1), self._spline(torch.cat([nothing, *said[first:]], -1))

    def _spline(self, said: Tensor) -> Spline:
        parts = said.view(len(said), -1, parameters(self.shape.bins))
        return Spline.told(parts, self.shape.reach)

    def _seen(self, codes: Tensor, numbers: Tensor) -> Tensor:
        one = numbers.new_ones((len(numbers), 1))
        return torch.cat([one, self.segments.onehot(codes), _shown(numbers, self._missing(codes))], -1)

    def _missing(self, codes: Tensor) -> Tensor:
        """Return (b, q): whether the flag of a number says that it is missing."""
        if not len(self.code_places):
            return self.flags.new_zeros((), dtype=torch.bool).expand(len(codes), len(self.flags))
        return (codes.index_select(1, self.flags.clamp(min=0)) == 1) & (self.flags >= 0)


def _turns(codes: int, numbers: int, most: int) -> tuple[list[slice], list[slice]]:
    """Return which codes and which numbers are moved together: each alone, unless there are too many."""
    share = max(1, round(most * codes / max(codes + numbers, 1)))
    return _cut(codes, share), _cut(numbers, max(1, most - share))


def _cut(count: int, most: int) -> list[slice]:
    pieces = min(count, most)
    ends = [round(count * place / pieces) for place in range(pieces + 1)] if pieces else []
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _network(inputs: int, first: Floats, shape: FlowShape, generator: torch.Generator) -> nn.Sequential:
    widths = [inputs, *[shape.width] * shape.depth]
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [linear(before, after, generator), nn.SiLU()]
    last = linear(widths[-1], len(first), generator, zero=True)
    with torch.no_grad():
        last.bias.copy_(torch.from_numpy(first))
    return nn.Sequential(*layers, last)


def _inputs(says: nn.Module) -> int:
    layer = next(says.children())
    assert isinstance(layer, nn.Linear), "a network begins with a layer"
    return layer.in_features


def _shown(numbers: Tensor, missing: Tensor) -> Tensor:
    return torch.where(missing, 0.0, numbers.clamp(-_FAR, _FAR))


def _log_normal(z: Tensor, log_slope: Tensor) -> Tensor:
    return log_slope - 0.5 * z.square() - 0.5 * math.log(2 * math.pi)


def _log_between(low: Tensor, high: Tensor) -> Tensor:
    """Return the log probability that a standard normal number lies between two ends."""
    # From the tail that both are in: there a difference of probabilities is precise.
    upper = torch.special.ndtr(-low) - torch.special.ndtr(-high)
    lower = torch.special.ndtr(high) - torch.special.ndtr(low)
    return torch.log(torch.where(low > 0, upper, lower).clamp(min=0.0))
