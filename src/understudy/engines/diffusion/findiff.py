"""FinDiff: levels become points, and points and numbers one Gaussian diffusion (Sattarov et al. 2023).

x_0 = [points of the codes | numbers] is noised as one vector, and a network is asked for the noise, or for
v = sqrt(alpha_bar) eps - sqrt(1 - alpha_bar) x_0 (Salimans & Ho 2022): the network that says 0 then guesses
what is best of a standard normal number that nothing else tells of, which is where noisy trainings begin and
what short walks need. Codes are read off in one of two ways:

    nearest  the network tells the noise of points too, and a code is the nearest point of its own column
    logits   the network tells how likely each level is, which is trained by cross-entropy and says where the
             point is on average (Dieleman et al. 2022, "score interpolation"); the code is drawn at the end

Cross-entropy is also what keeps learned points apart: the squared error of noise would not, so it is refused.
Time 0 is trained as well as drawn from; in the reference it is drawn from only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion import gaussian
from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.donors import near_the_end, with_donors
from understudy.engines.diffusion.findiff_together import NoiseSlopes, stand_together
from understudy.engines.diffusion.gaussian import Gaussian
from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Fixed, NoCodes, Plan, sample, times
from understudy.engines.diffusion.schedule import linear
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.level_points import LevelPoints, Placing
from understudy.engines.nets.perceptron import Perceptron, Shape
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.residual_together import Learned
from understudy.engines.training.fit import Fit
from understudy.engines.training.slopes import SlopedTogether
from understudy.errors import ParameterError

__all__ = ["FinDiffGenerator", "FinDiffLearner", "NoiseLoss", "PointDenoiser"]

STAGE = "denoiser"
BLOCK = 8_192  # rows drawn at a time: their activations stay near the processor
_FARTHEST = 6.0  # a guessed number lies no farther out: all rows' are about standard normal


@final
@dataclass(frozen=True)
class FinDiffLearner(Learner):
    """Places and width of points, how codes are read off, the network, the noise and the way back.

    `predicts` is what the network tells of numbers, and of points under the head "nearest". `network`
    "residual" has layer norms and starts at what is known of shares; "plain" is the reference's
    perceptron, with LeakyReLU. `eta` is as in `gaussian.posterior`; `wide` as in `Gaussian`. `draws` is how
    often each record is noised in a step, at times spread evenly.
    """

    embedding: Placing = "spread"
    embedding_width: int = 4
    head: Literal["logits", "nearest"] = "logits"
    predicts: Literal["v", "eps"] = "v"
    network: Literal["residual", "plain"] = "residual"
    width: int = 256
    depth: int = 2
    times: int = 500
    numbers_weight: float = 1.0
    draws: int = 1
    sampling_steps: int = 25
    eta: float = 0.0
    wide: bool = False
    again: int = 5

    def __post_init__(self) -> None:
        if self.embedding == "learned" and self.head == "nearest":
            raise ParameterError(
                "findiff: learned points need the head 'logits'; got 'nearest', where they fall together."
            )

    @property
    def stages(self) -> tuple[str, ...]:
        """One network, trained once."""
        return (STAGE,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> FinDiffGenerator:
        """Train the denoiser; its first guess of every code is what is known of its shares."""
        network = PointDenoiser(fields, self, torch.Generator().manual_seed(seed))
        fit.train(STAGE, network, NoiseLoss(self.numbers_weight, self.draws))
        return FinDiffGenerator(network, replace(self, draws=1))


@final
class PointDenoiser(nn.Module):
    """Guesses [points of codes | numbers] as they were, by logits of codes if it has that head."""

    def __init__(self, fields: Fields, settings: FinDiffLearner, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.rows, self.schedule = Rows(fields), linear(settings.times)
        self.points = LevelPoints(fields.sizes, settings.embedding_width, settings.embedding, generator)
        self.spaces = len(fields.codes) * settings.embedding_width
        self.width, self.with_logits = self.spaces + len(fields.numbers), settings.head == "logits"
        self.predicts = settings.predicts
        told = fields.levels if self.with_logits else self.spaces
        self.network = _network(self.width, told + len(fields.numbers), settings, generator)
        if self.with_logits:
            with torch.no_grad():
                self.network.leave.bias[: fields.levels] = torch.from_numpy(_logs(fields))

    def placed(self, numbers: Tensor, codes: Tensor) -> Tensor:
        """Return x_0: (..., width)."""
        return torch.cat([self.points(codes).to(numbers.dtype), numbers], -1)

    def told(self, x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the network says of codes, logits or targets of points, and targets of numbers."""
        # Sines of times are made for 0 .. 1000.
        out = self.network(x, t * (1000 / len(self.schedule)))
        count = len(self.rows.fields.numbers)
        return out[..., : out.shape[-1] - count], out[..., out.shape[-1] - count :]

    def target(self, x_0: Tensor, eps: Tensor, t: Tensor) -> Tensor:
        """Return what the network should tell."""
        if self.predicts == "eps":
            return eps
        return self._kept(t) * eps - self._lost(t) * x_0

    def record(self, x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return the guess of x_0 (b, width), and what the network says of codes."""
        said, numbers = self.told(x, t)
        if self.with_logits:
            guess = self._record(x[..., self.spaces :], numbers, t)
            return torch.cat([self.points.mean(said), guess], -1), said
        return self._record(x, torch.cat([said, numbers], -1), t), said

    def _record(self, x: Tensor, told: Tensor, t: Tensor) -> Tensor:
        if self.predicts == "eps":
            return gaussian.x0_of(self.schedule, x, told, t, _FARTHEST)
        return (self._kept(t) * x - self._lost(t) * told).clamp(-_FARTHEST, _FARTHEST)

    def _kept(self, t: Tensor) -> Tensor:
        return self.schedule.kept(t).sqrt()[..., None]

    def _lost(self, t: Tensor) -> Tensor:
        return self.schedule.lost(t).sqrt()[..., None]


@final
@dataclass(frozen=True)
class NoiseLoss(SlopedTogether):
    """The squared error of targets and the cross-entropy of codes, the mean over the columns of a record."""

    numbers_weight: float = 1.0
    draws: int = 1

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,)."""
        assert isinstance(model, PointDenoiser), "this loss is of one network"
        numbers, codes = (part[:, None].expand(-1, self.draws, -1) for part in model.rows.split(rows))
        t = _times(len(rows), self.draws, len(model.schedule), noise)  # (b, draws)
        x_0 = model.placed(numbers, codes)
        eps = torch.randn(x_0.shape, generator=noise, device=x_0.device)
        said, told = model.told(gaussian.noised(model.schedule, x_0, t, eps), t)
        wanted = model.target(x_0, eps, t)
        errors = self.numbers_weight * (told - wanted[..., model.spaces :]).square()
        if model.with_logits:
            segments = model.points.segments
            surprise = segments.cross_entropy(said, codes)
            each = torch.cat([surprise, errors], -1)
        else:  # the reference's loss: every coordinate counts alike
            each = torch.cat([(said - wanted[..., : model.spaces]).square(), errors], -1)
        return each.mean((1, 2))

    def stands(self, models: Sequence[nn.Module]) -> bool:
        """Say whether the derivatives of these models side by side are written out."""
        own = [model for model in models if isinstance(model, PointDenoiser)]
        return len(own) == len(models) and stand_together(own)

    def slopes_together(
        self, like: nn.Module, weights: Mapping[str, Tensor], grads: Mapping[str, Tensor], batch: int
    ) -> NoiseSlopes:
        """Return the derivatives of models side by side."""
        assert isinstance(like, PointDenoiser), "this loss is of one network"
        return NoiseSlopes(self, like, Learned(weights, grads), batch)


@final
class FinDiffGenerator(Generator):
    """Draws rows with a trained denoiser."""

    def __init__(self, network: PointDenoiser, settings: FinDiffLearner) -> None:
        self._network, self._settings = network.eval().requires_grad_(False), settings

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Walk back from noise; around known cells, from rows that have them (`donors`)."""
        if known is not None:
            known = with_donors(known, self._network.rows, lambda size: self.draw(size, rng), rng)
        parts = [
            self._block(min(BLOCK, rows - start), rng, known and known.part(start, start + BLOCK))
            for start in range(0, rows, BLOCK)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._network.rows.fields.width), np.float32)

    @torch.no_grad()
    def _block(self, rows: int, rng: np.random.Generator, known: Known | None) -> Matrix:
        network, settings = self._network, self._settings
        noise = noise_of(rng, network.rows.numbers.device)
        walk = Gaussian(network.width, network.schedule, predicts="x0", eta=settings.eta, wide=settings.wide)
        plan = Plan(times(settings.times, min(settings.sampling_steps, settings.times)))
        guess, cells, start = _Guess(network), network.rows.fixed(known), None
        if cells is not None:
            late = near_the_end(plan.times, network.schedule.kept(plan.times.to(noise.device)))
            plan = Plan(late, again=settings.again)
            start = (network.placed(cells.numbers, cells.codes), cells.codes[:, :0])
        fixed = _fixed(network, cells)
        found, _ = sample(guess, (walk, NoCodes()), plan, rows, noise, fixed=fixed, start=start)
        if network.with_logits:
            codes = network.points.segments.draw(guess.said, noise)
        else:
            codes = network.points.nearest(found[:, : network.spaces])
        matrix = network.rows.join(found[:, network.spaces :], codes)
        return matrix if known is None else np.where(known.mask, known.values, matrix)

    def state(self) -> State:
        """Return the weights, and what the network is built from."""
        facts = {"fields": self._network.rows.fields.facts(), "settings": asdict(self._settings)}
        return arrays_of(network=self._network), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of another network are refused."""
        settings = FinDiffLearner(**facts["settings"])
        network = PointDenoiser(Fields.of(facts["fields"]), settings, torch.Generator())
        load_arrays(tensors, network=network)
        return cls(network, settings)


@final
class _Guess:
    """The denoiser that the walk asks; it remembers what was said of codes last."""

    def __init__(self, network: PointDenoiser) -> None:
        self._network = network
        self.said = torch.empty(0)

    def __call__(self, x: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        guess, self.said = self._network.record(x, t)
        return guess, codes


def _network(
    inputs: int, outputs: int, settings: FinDiffLearner, generator: torch.Generator
) -> Residual | Perceptron:
    if settings.network == "residual":
        return Residual(inputs, outputs, width=settings.width, depth=settings.depth, generator=generator)
    shape = Shape(hidden=(settings.width,) * settings.depth, entry=64, activation="leaky")
    return Perceptron(inputs, outputs, shape, generator)


def _logs(fields: Fields) -> npt.NDArray[np.float32]:
    return np.concatenate([np.zeros(0), *(np.log(each) for each in fields.shares)]).astype(np.float32)


def _fixed(network: PointDenoiser, cells: Fixed | None) -> Fixed | None:
    """Return known cells as coordinates of points and numbers, since noise moves both alike."""
    if cells is None:
        return None
    there = cells.codes_mask.repeat_interleave(network.points.width, 1)
    placed, none = network.placed(cells.numbers, cells.codes), cells.codes[:, :0]
    return Fixed(placed, torch.cat([there, cells.numbers_mask], 1), none, none.bool())


def _times(records: int, draws: int, steps: int, noise: torch.Generator) -> Tensor:
    """Return (records, draws) of the times 0 .. steps - 1, evenly spread within each record."""
    first = torch.rand(records, 1, generator=noise, device=noise.device)
    share = (first + torch.arange(draws, device=noise.device) / draws).remainder(1)
    return (share * steps).long().clamp(max=steps - 1)
