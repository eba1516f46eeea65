"""A normalising flow: an invertible network that turns rows into noise, and so has an exact density.

Affine couplings (RealNVP, Dinh et al. 2017): one half of the coordinates says how the other half is scaled
and moved, so that the Jacobian is triangular. What comes out follows a learned mixture of Gaussians
(Papamakarios et al. 2017, MAF MoG): clusters need no network to tear them out of one bump, and a flow of one
coordinate, which has no halves, is still more than a bump.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.perceptron import linear
from understudy.errors import ParameterError

__all__ = ["Coupling", "Flow", "FlowSize"]

_REACH = 2.0  # the logarithm of a scale ends here, softly: no density runs away


@final
@dataclass(frozen=True)
class FlowSize:
    """How many pairs of couplings, how wide their hidden layers are, how many Gaussians lie behind them."""

    pairs: int = 3
    width: int = 32
    bumps: int = 6

    def __post_init__(self) -> None:
        if self.pairs < 0 or min(self.width, self.bumps) < 1:
            raise ParameterError("FlowSize: pairs must be 0 or more, width and bumps 1 or more.")


@final
class Coupling(nn.Module):
    """Scales and moves some coordinates as the others say; it starts out as the identity."""

    kept: Tensor
    moved: Tensor

    def __init__(self, kept: Tensor, moved: Tensor, width: int, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.register_buffer("kept", kept)
        self.register_buffer("moved", moved)
        # Bounded activations: far from all rows the map is affine, and its logarithms are finite.
        self.says = nn.Sequential(
            linear(len(kept), width, generator),
            nn.Tanh(),
            linear(width, width, generator),
            nn.Tanh(),
            linear(width, 2 * len(moved), generator, zero=True),
        )

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows on the way to noise, and the logarithm of the determinant of the Jacobian: (b,)."""
        shift, log_scale = self._told(rows)
        moved = rows[:, self.moved] * log_scale.exp() + shift
        return rows.index_copy(1, self.moved, moved), log_scale.sum(1)

    def inverse(self, rows: Tensor) -> Tensor:
        """Return the rows that `forward` takes to these."""
        shift, log_scale = self._told(rows)
        return rows.index_copy(1, self.moved, (rows[:, self.moved] - shift) * torch.exp(-log_scale))

    def _told(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        shift, log_scale = self.says(rows[:, self.kept]).chunk(2, 1)
        return shift, _REACH * torch.tanh(log_scale / _REACH)


@final
class Flow(nn.Module):
    """A density of rows of so many coordinates, in doubles; the initial weights come from the generator.

    Of two couplings of a pair each moves what the other keeps; halves are drawn anew for every pair.

    >>> flow = Flow(2, FlowSize(pairs=1, width=4), torch.Generator().manual_seed(0))
    >>> flow.log_density(torch.zeros(5, 2)).shape
    torch.Size([5])
    """

    def __init__(self, coordinates: int, size: FlowSize, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        if coordinates < 1:
            raise ParameterError("Flow: needs at least one coordinate.")
        pairs = size.pairs if coordinates > 1 else 0
        halves = [torch.randperm(coordinates, generator=generator).tensor_split(2) for _ in range(pairs)]
        turns = [turn for one, other in halves for turn in ((one, other), (other, one))]
        self.couplings = nn.ModuleList(Coupling(*turn, size.width, generator) for turn in turns)
        self.weights = nn.Parameter(torch.zeros(size.bumps))
        self.means = nn.Parameter(torch.randn(size.bumps, coordinates, generator=generator))
        self.log_sds = nn.Parameter(torch.zeros(size.bumps, coordinates))
        self.double()

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows as noise, and the logarithm of the determinant of the Jacobian: (b, d) and (b,)."""
        rows = rows.double()
        total = rows.new_zeros(len(rows))
        for coupling in self.couplings:
            rows, log_determinant = coupling(rows)
            total = total + log_determinant
        return rows, total

    def inverse(self, noise: Tensor) -> Tensor:
        """Return the rows that `forward` takes to this noise."""
        rows = noise.double()
        for coupling in reversed(self.couplings):
            assert isinstance(coupling, Coupling), "a flow is made of couplings"
            rows = coupling.inverse(rows)
        return rows

    def log_density(self, rows: Tensor) -> Tensor:
        """Return (b,): the logarithm of the density of each row."""
        noise, log_determinant = self.forward(rows)
        apart = (noise[:, None] - self.means) * torch.exp(-self.log_sds)  # (b, bumps, d)
        logs = -(0.5 * apart.square() + self.log_sds + math.log(2 * math.pi) / 2).sum(2)
        bumps = torch.logsumexp(logs + torch.log_softmax(self.weights, 0), 1)
        return bumps + log_determinant
