"""The clipper: from a loss per record to the one vector that noise is added to.

Memory: a pass keeps each layer's input and derivative, which is what back-propagation keeps anyway, and one
vector of all parameters. Nothing grows with batch x parameters; on the functional road it would, so that
one runs in micro-batches of a fixed number of written numbers.
"""

from __future__ import annotations

import itertools
import math
from typing import Literal, final

import torch
from torch import nn

from understudy.engines.dpsgd.batches import Batch
from understudy.engines.dpsgd.functional import Loss, largest_microbatch, written_gradients
from understudy.engines.dpsgd.grid import Grid
from understudy.engines.dpsgd.guard import group_names, refuse_mixing, trainable
from understudy.engines.dpsgd.layers import Contribution
from understudy.engines.dpsgd.plan import Plan
from understudy.engines.dpsgd.tape import Tape, can_be_taped, refuse_odd_losses
from understudy.errors import ParameterError

__all__ = ["Clipper", "Route"]

Tensor = torch.Tensor
Route = Literal["auto", "tape", "functional"]


@final
class Clipper:
    """Sums per-record clipped gradients (flat, layer), or clips the batch's mean (batch), into one vector."""

    def __init__(
        self, model: nn.Module, plan: Plan, route: Route = "auto", microbatch: int | None = None
    ) -> None:
        refuse_mixing(model)
        self._model, self._plan = model, plan
        self.parameters = trainable(model)
        self._frozen = [p for p in model.parameters() if not p.requires_grad]
        self.total = torch.zeros(sum(p.numel() for p in self.parameters.values())).to(_first(self.parameters))
        self.views = _views(self.total, self.parameters)
        self.grid = Grid.of(plan, len(self.total))
        self._groups = group_names(list(self.parameters), plan.groups, by_layer=plan.style == "layer")
        self._limit = self.grid.inner / (math.sqrt(1 + max(self._groups)) if plan.style == "layer" else 1)
        taped = _taped(model, route)
        self._tape = Tape(model) if taped and plan.style != "batch" else None
        self._size = microbatch or (
            2**40 if taped or plan.style == "batch" else largest_microbatch(len(self.total))
        )

    def run(self, batch: Batch, loss: Loss) -> None:
        """Fill `total` with what the batch releases before noise."""
        self._refuse_thawed()
        for parameter in self.parameters.values():
            parameter.grad = None
        if self._plan.style == "batch":
            self._clip_mean(batch, loss)
        else:
            self._sum_clipped(batch, loss)

    def _refuse_thawed(self) -> None:
        """A parameter that was frozen when the plan was made would get a gradient that nobody clips."""
        if any(parameter.requires_grad for parameter in self._frozen):
            raise ParameterError(
                "dpsgd: a parameter that was frozen needs a gradient now; make new PrivateGradients for it."
            )

    def _sum_clipped(self, batch: Batch, loss: Loss) -> None:
        fresh = True
        for rows, weight in batch.pieces(self._size):
            found = self._contributions(loss, rows, weight)
            with torch.no_grad():
                self._sum_up(found, weight, fresh)
            fresh = False
        if fresh:  # there was no row
            self.total.zero_()

    def _sum_up(self, found: dict[nn.Parameter, Contribution], weight: Tensor, fresh: bool) -> None:
        """Book-keeping: norms of all records first, then one weighted product per layer."""
        norms: dict[int, list[Tensor]] = {}
        parts = [(group, view, found.pop(p)) for p, view, group in self._places() if p in found]
        if fresh and len(parts) < len(self.views):  # there are parameters that no record adds to
            self.total.zero_()
        for group, _, part in parts:
            norms.setdefault(group, []).append(part.norms())
        factors = {group: _factor(_squares(each), self._limit, weight) for group, each in norms.items()}
        while parts:  # each is let go as soon as it is used: what is freed early is used again
            group, view, part = parts.pop()
            part.add_to(view, *factors[group], fresh=fresh)

    def _contributions(
        self, loss: Loss, rows: tuple[Tensor, ...], weight: Tensor
    ) -> dict[nn.Parameter, Contribution]:
        if self._tape is None:
            return written_gradients(self._model, loss, rows, self.parameters)
        return self._tape.run(lambda: loss(self._model, *rows), weight)

    def _clip_mean(self, batch: Batch, loss: Loss) -> None:
        """Clip the mean gradient of each group; a mean that is not finite is taken as zero."""
        self.total.zero_()
        for rows, weight in batch.pieces(self._size):
            self._add_unclipped(loss, rows, weight)
        self.total.div_(batch.weight.sum().clamp(min=1))
        for group in range(1 + max(self._groups)):
            views = [view for _, view, home in self._places() if home == group]
            squares = torch.stack([view.square().sum() for view in views]).sum()[None]
            factor, bad = _factor(squares, self._limit, torch.ones_like(squares, dtype=torch.bool))
            for view in views:
                view.mul_(factor)
                if bad is not None:
                    view.masked_fill_(bad, 0.0)

    def _add_unclipped(self, loss: Loss, rows: tuple[Tensor, ...], weight: Tensor) -> None:
        losses = loss(self._model, *rows)
        refuse_odd_losses(losses, len(weight))
        whole = torch.where(weight, losses, 0.0).sum()
        found = torch.autograd.grad(whole, list(self.parameters.values()), allow_unused=True)
        for view, gradient in zip(self.views, found, strict=True):
            if gradient is not None:
                view.add_(gradient)

    def _places(self) -> list[tuple[nn.Parameter, Tensor, int]]:
        return list(zip(self.parameters.values(), self.views, self._groups, strict=True))


def _squares(norms: list[Tensor]) -> Tensor:
    """Return each record's squared norm over several parameters."""
    return torch.stack(norms).square_().sum(0)


def _factor(squares: Tensor, limit: float, weight: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return each record's factor min(1, limit / norm), and which records are not finite (None: no record).

    A gradient that is not finite is taken as zero and the step goes on: an error would tell that such a row
    exists. A norm whose square underflows is taken as the largest of those, so that no limit is too small.
    """
    least = max(limit**2, torch.finfo(squares.dtype).tiny)
    factor = torch.where(weight, squares.clamp(min=least).rsqrt_().mul_(limit), 0.0)
    # One look at the sum is all it takes; but a device would have to be waited for.
    if squares.device.type == "cpu" and math.isfinite(float(squares.sum())):
        return factor, None
    bad = ~torch.isfinite(squares)
    return factor.masked_fill_(bad, 0.0), bad


def _taped(model: nn.Module, route: Route) -> bool:
    if route not in ("auto", "tape", "functional"):
        raise ParameterError(f"dpsgd: route must be one of auto, tape, functional; got {route!r}.")
    if route == "tape" and not can_be_taped(model):
        raise ParameterError("dpsgd: the tape knows Linear, LayerNorm and Embedding; use route='functional'.")
    return route == "tape" or (route == "auto" and can_be_taped(model))


def _first(parameters: dict[str, nn.Parameter]) -> Tensor:
    return next(iter(parameters.values()))


def _views(total: Tensor, parameters: dict[str, nn.Parameter]) -> list[Tensor]:
    """Return one view per parameter, each on its own: autograd forbids to write into the parts of a split."""
    ends = itertools.accumulate(p.numel() for p in parameters.values())
    return [
        total[end - p.numel() : end].view(p.shape) for p, end in zip(parameters.values(), ends, strict=True)
    ]
