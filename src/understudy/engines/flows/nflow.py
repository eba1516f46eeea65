"""NFlow: couplings of splines and levels, learned by maximum likelihood (Durkan et al. 2019).

Public code (synthcity) moves one-hots as if they were numbers, by an autoregressive layer whose inverse takes
as many passes of the whole network as there are coordinates. Here a level is a part of an interval, its
probability is exact, and a row is drawn in one pass (`couplings`).

Known cells: rows are drawn with them many times over, each as likely as it made them, and one of these is
kept (likelihood weighting, Fung & Chang 1990): exact as the goes grow in number.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.rows import noise_of
from understudy.engines.fields import Fields
from understudy.engines.flows.couplings import Couplings, Drawn, FlowShape
from understudy.engines.generator import DenseGenerator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.training.fit import Fit
from understudy.engines.training.order import seed_of

__all__ = ["NflowGenerator", "NflowLearner"]

STAGE = "flow"
BLOCK = 8_192  # rows at a time

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True)
class NflowLearner(Learner):
    """The shape of the flow, and how often a row is drawn around known cells before one is kept."""

    shape: FlowShape = field(default_factory=FlowShape)
    goes: int = 64

    @property
    def stages(self) -> tuple[str, ...]:
        """One training of all couplings."""
        return (STAGE,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> NflowGenerator:
        """Train all couplings together."""
        flow = Couplings(fields, self.shape, torch.Generator().manual_seed(seed_of(seed, "nflow")))
        fit.train(STAGE, flow, unlikeliness)
        return NflowGenerator(flow, self.goes)


def unlikeliness(model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
    """Return (b,): the negative log density of each record; nothing is drawn for it."""
    del noise
    assert isinstance(model, Couplings), "the density is that of a flow"
    return -model.log_density(*model.split(rows))


@final
class NflowGenerator(DenseGenerator):
    """Draws rows from noise, and tells how dense it finds rows."""

    def __init__(self, flow: Couplings, goes: int) -> None:
        self.flow, self.goes = flow.eval().requires_grad_(False), goes

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Draw rows; those around known cells out of many goes each."""
        noise = noise_of(rng, self.flow.flags.device)
        width, goes = self.flow.fields.width, 1 if known is None else self.goes
        if known is None:
            known = Known(np.zeros((rows, width), np.float32), np.zeros((rows, width), bool))
        size = max(1, BLOCK // goes)
        with torch.no_grad():
            parts = [self._drawn(known.part(at, at + size), goes, noise) for at in range(0, rows, size)]
        found = np.concatenate(parts) if parts else np.empty((0, width), np.float32)
        return np.where(known.mask, known.values, found)

    def log_density(self, rows: Matrix, low: Floats, high: Floats) -> Floats:
        """Return the log density of each row, of numbers with ends the probability between them."""
        device = self.flow.flags.device
        exact = deepcopy(self.flow).double()
        parts = []
        with torch.no_grad():
            for at in range(0, len(rows), BLOCK):
                here = slice(at, at + BLOCK)
                codes, numbers = exact.split(torch.from_numpy(rows[here].astype(np.float64)).to(device))
                ends = [torch.from_numpy(np.ascontiguousarray(end[here])).to(device) for end in (low, high)]
                parts.append(exact.log_density(codes, numbers, (ends[0], ends[1])).cpu().numpy())
        return np.concatenate(parts) if parts else np.empty(0)

    @property
    def quick(self) -> bool:
        """A row takes one pass."""
        return True

    def state(self) -> State:
        """Return the weights, and the facts that the networks are rebuilt from."""
        facts = {"fields": self.flow.fields.facts(), "shape": asdict(self.flow.shape), "goes": self.goes}
        return arrays_of(flow=self.flow), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator that `state` wrote down, on a device if there is one."""
        flow = Couplings(Fields.of(facts["fields"]), FlowShape(**facts["shape"]), torch.Generator())
        load_arrays(tensors, flow=flow)
        return cls(flow, facts["goes"])

    def _drawn(self, known: Known, goes: int, noise: torch.Generator) -> Matrix:
        values = np.where(known.mask, known.values, np.float32(0))
        given = self.flow.split(torch.from_numpy(values).to(noise.device).repeat_interleave(goes, 0))
        mask = torch.from_numpy(np.ascontiguousarray(known.mask)).to(noise.device).repeat_interleave(goes, 0)
        known_parts = mask[:, self.flow.codes], mask[:, self.flow.numbers]
        found = self.flow.draw(given, known_parts, noise)
        return self._joined(found if goes == 1 else _kept(found, goes, noise))

    def _joined(self, found: Drawn) -> Matrix:
        matrix = np.empty((len(found.codes), self.flow.fields.width), dtype=np.float32)
        matrix[:, list(self.flow.code_places)] = found.codes.cpu().numpy()
        matrix[:, list(self.flow.fields.numbers)] = found.numbers.float().cpu().numpy()
        return matrix


def _kept(found: Drawn, goes: int, noise: torch.Generator) -> Drawn:
    """Return one of the goes of each row, as likely as it made what is known (by the Gumbel trick)."""
    chance = torch.rand(found.log_weight.shape, generator=noise, device=noise.device)
    best = (found.log_weight - chance.log_().neg_().log_()).view(-1, goes).argmax(1)
    places = best + goes * torch.arange(len(best), device=best.device)
    return Drawn(*(part[places] for part in found))
