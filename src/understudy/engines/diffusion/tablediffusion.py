"""TableDiffusion: a few levels of noise on [one-hots | numbers], all of them in every step (Truda 2023).

x_t = x_0 + sqrt(b_t) eps with b_t = (1 - cos(pi t / T)) / 2 + least, t = 0 .. T-1. A record's loss is the
mean over all T levels: under a budget one clipped gradient pays for T looks at it. What the network tells:

    noise    sqrt(b_t) eps; squared error. A code is the largest of its column in x_t less that
    denoise  x_0: squared error of numbers, cross-entropy of codes, which are drawn
    law      the same, and a deviation of each number, which is drawn as well; Gaussian log-likelihood

With a handful of levels each step back is long, and a row of means would be too smooth: hence `law`.

The way back keeps to q(x_s | x_t, x_0), with the noise as the network tells it, which is already scaled. It
does not begin at pure noise, which x_T is not: much of the record is left there. So it begins at a row of
which each cell is drawn by itself, plus the noise of T. More `rounds`, each from noise on the row that the
last one found, let go of that beginning: if the network is right, they end at rows of the table (Bengio et
al. 2013). Around known cells it begins at rows chosen among drawn ones, by how likely these make the known
cells under the noise of level 0; from there, and no higher, they are walked with the known cells put in.

Differences to the paper: numbers are normal by their ranks and not uniform, the norm is a layer norm, and the
network may be told which level it sees.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Fixed
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.concat import Concat
from understudy.engines.nets.segments import Segments
from understudy.engines.training.fit import Fit

__all__ = ["LevelNoise", "TableDenoiser", "TableDiffusionGenerator", "TableDiffusionLearner", "noise_levels"]

STAGE = "denoiser"
BLOCK = 8_192  # rows drawn at a time: their activations stay near the processor
POOL = 2_048  # drawn rows among which those are chosen that fit known cells
_REACH = 4.0  # logarithms of deviations end here, softly: e^-4 to e^4

Mode = Literal["law", "denoise", "noise"]
_Cells = tuple[Tensor, Tensor]  # numbers and codes of rows


def noise_levels(times: int, least: float) -> Tensor:
    """Return the variances b_t, rising.

    >>> [round(b, 2) for b in noise_levels(5, 0.1).tolist()]
    [0.1, 0.2, 0.45, 0.75, 1.0]
    """
    t = torch.arange(times, dtype=torch.float64)
    return ((1 - torch.cos(math.pi * t / times)) / 2 + least).float()


@final
@dataclass(frozen=True)
class TableDiffusionLearner(Learner):
    """The network's size, the levels of noise, what the network tells, and how often rows are walked."""

    mode: Mode = "law"
    width: int = 256
    depth: int = 2
    times: int = 5
    least: float = 0.1
    told_level: bool = True
    rounds: int = 2

    @property
    def stages(self) -> tuple[str, ...]:
        """One network, trained once."""
        return (STAGE,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> TableDiffusionGenerator:
        """Train the denoiser; its first guess of every code is what is known of its shares."""
        network = TableDenoiser(fields, self, torch.Generator().manual_seed(seed))
        fit.train(STAGE, network, LevelNoise())
        return TableDiffusionGenerator(network, self)


class _Law(NamedTuple):
    """Of codes logits or one-hots, of numbers means and logarithms of deviations."""

    codes: Tensor
    mean: Tensor
    log_sd: Tensor


@final
class TableDenoiser(nn.Module):
    """Tells what it is asked for of [one-hots | numbers] at a level of noise."""

    levels: Tensor
    logs: Tensor

    def __init__(self, fields: Fields, settings: TableDiffusionLearner, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.rows, self.segments, self.mode = Rows(fields), Segments(fields.sizes), settings.mode
        self.told_level, self.count = settings.told_level, len(fields.numbers)
        self.width = fields.levels + self.count
        self.register_buffer("levels", noise_levels(settings.times, settings.least), persistent=False)
        logs = np.concatenate([np.zeros(0), *(np.log(share) for share in fields.shares)])
        self.register_buffer("logs", torch.from_numpy(logs).float())
        outputs = self.width + (self.count if self.mode == "law" else 0)
        inputs = self.width + (settings.times if self.told_level else 0)
        size = {"width": settings.width, "depth": settings.depth}
        self.network = Concat(inputs, outputs, **size, generator=generator)
        if self.mode != "noise":
            self.network.begin_at(nn.functional.pad(self.logs, (0, outputs - fields.levels)))

    def flat(self, numbers: Tensor, codes: Tensor) -> Tensor:
        """Return x_0: (..., width)."""
        return torch.cat([self.segments.onehot(codes), numbers], -1)

    def told(self, x: Tensor, t: Tensor) -> Tensor:
        """Return what the network says of x (..., width) at the levels t (...)."""
        # Scaled to variance about 1 at every level.
        scaled = x / (1 + self.levels[t])[..., None].sqrt()
        if self.told_level:
            level = nn.functional.one_hot(t, len(self.levels)).to(x.dtype)
            scaled = torch.cat([scaled, level.expand(*x.shape[:-1], -1)], -1)
        out: Tensor = self.network(scaled)
        return out

    def law(self, x: Tensor, t: Tensor) -> _Law:
        """Return what is known of x_0, given x at the levels t."""
        out, total = self.told(x, t), self.segments.total
        if self.mode == "noise":
            out = x - out  # it tells the noise as it is, scaled
        codes, mean, log_sd = out[..., :total], out[..., total : self.width], out[..., self.width :]
        return _Law(codes, mean, _REACH * torch.tanh(log_sd / _REACH))


@final
class LevelNoise:
    """The loss: one noise at each level, and the mean over levels and over the columns of a record."""

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,)."""
        assert isinstance(model, TableDenoiser), "this loss is of one network"
        count = len(model.levels)
        numbers, codes = (part[:, None].expand(-1, count, -1) for part in model.rows.split(rows))
        x_0 = model.flat(numbers, codes)  # (b, T, width)
        eps = torch.randn(x_0.shape, generator=noise, device=x_0.device) * model.levels.sqrt()[:, None]
        t = torch.arange(count, device=x_0.device)
        if model.mode == "noise":
            return (model.told(x_0 + eps, t) - eps).square().mean((1, 2))
        law = model.law(x_0 + eps, t)
        surprise = model.segments.cross_entropy(law.codes, codes)
        errors = (numbers - law.mean).square()
        if model.mode == "law":
            errors = 0.5 * errors * torch.exp(-2 * law.log_sd) + law.log_sd
        return torch.cat([surprise, errors], -1).mean((1, 2))


@final
class TableDiffusionGenerator(Generator):
    """Draws rows with a trained denoiser."""

    def __init__(self, network: TableDenoiser, settings: TableDiffusionLearner) -> None:
        self._network, self._settings = network.eval().requires_grad_(False), settings

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Walk back from the highest level, around known cells if there are any."""
        choosing = known is not None and not known.fitting
        pool = self._walked(_Walk(self._network, self._noise(rng), None), POOL) if choosing else None
        parts = [
            self._block(min(BLOCK, rows - at), rng, pool, known and known.part(at, at + BLOCK))
            for at in range(0, rows, BLOCK)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._network.rows.fields.width), np.float32)

    def _block(self, rows: int, rng: np.random.Generator, pool: _Cells | None, known: Known | None) -> Matrix:
        walk = _Walk(self._network, self._noise(rng), self._network.rows.fixed(known))
        matrix = self._network.rows.join(*self._walked(walk, rows, pool))
        return matrix if known is None else np.where(known.mask, known.values, matrix)

    @torch.no_grad()
    def _walked(self, walk: _Walk, rows: int, pool: _Cells | None = None) -> _Cells:
        # High noise would hide the known cells again, and let the others forget them.
        top = self._settings.times - 1 if walk.fixed is None else 0
        cells = walk.alone(rows) if walk.fixed is None else walk.begun(walk.fixed, pool)
        for _ in range(self._settings.rounds):
            cells = walk.back(*cells, top)
        return cells

    def _noise(self, rng: np.random.Generator) -> torch.Generator:
        return noise_of(rng, self._network.rows.numbers.device)

    def state(self) -> State:
        """Return the weights, and what the network is built from."""
        facts = {"fields": self._network.rows.fields.facts(), "settings": asdict(self._settings)}
        return arrays_of(network=self._network), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of another network are refused."""
        settings = TableDiffusionLearner(**facts["settings"])
        network = TableDenoiser(Fields.of(facts["fields"]), settings, torch.Generator())
        load_arrays(tensors, network=network)
        return cls(network, settings)


@final
@dataclass(frozen=True, eq=False)
class _Walk:
    """The way back, for some rows, around cells that are fixed."""

    network: TableDenoiser
    noise: torch.Generator
    fixed: Fixed | None

    def alone(self, rows: int) -> _Cells:
        """Draw every cell by itself: numbers are standard normal by their ranks, codes have their shares."""
        numbers = torch.randn(rows, self.network.count, generator=self.noise, device=self.noise.device)
        logs = self.network.logs.expand(rows, -1)
        return self._held(numbers, self.network.segments.draw(logs, self.noise))

    def begun(self, fixed: Fixed, pool: _Cells | None) -> _Cells:
        """Return rows that have the known cells: of the pool, or where there is none as they were given."""
        return (fixed.numbers, fixed.codes) if pool is None else self.chosen(pool)

    def chosen(self, pool: _Cells) -> _Cells:
        """Choose a row of the pool for each row, by how likely it makes the known cells at level 0."""
        assert self.fixed is not None, "something is fixed"
        there = self._there().to(torch.float32)
        held = self._held(torch.zeros_like(self.fixed.numbers), torch.zeros_like(self.fixed.codes))
        known, points = self.network.flat(*held) * there, self.network.flat(*pool)
        # -|known - point|^2 / 2 over known coordinates, but for what is the same at every point
        near = known @ points.T - there @ points.square().T / 2
        chance = torch.rand(near.shape, generator=self.noise, device=near.device)
        place = (near / self.network.levels[0] - chance.log_().neg_().log_()).argmax(1)  # Gumbel
        return self._held(pool[0][place], pool[1][place])

    def back(self, numbers: Tensor, codes: Tensor, top: int) -> _Cells:
        """Put the noise of a level on rows, and walk back from there."""
        network, levels = self.network, self.network.levels
        x = network.flat(numbers, codes)
        x = x + levels[top].sqrt() * self._fresh(x)
        for place in range(top, -1, -1):
            t = torch.full((len(x),), place, device=x.device)
            numbers, codes, guess = self._guessed(network.law(x, t))
            if place:
                x = self._bridge(x, guess, levels[place], levels[place - 1])
        return numbers, codes

    def _guessed(self, law: _Law) -> tuple[Tensor, Tensor, Tensor]:
        """Return numbers and codes of a guess of x_0, and that as the walk goes on with it."""
        segments, mode = self.network.segments, self.network.mode
        codes = segments.argmax(law.codes) if mode == "noise" else segments.draw(law.codes, self.noise)
        numbers = law.mean
        if mode == "law":
            numbers = numbers + law.log_sd.exp() * self._fresh(numbers)
        numbers, codes = self._held(numbers, codes)
        guess = self.network.flat(numbers, codes)
        if mode != "noise":
            return numbers, codes, guess
        told = torch.cat([law.codes, numbers], -1)
        return numbers, codes, told if self.fixed is None else torch.where(self._there(), guess, told)

    def _bridge(self, x: Tensor, x_0: Tensor, late: Tensor, soon: Tensor) -> Tensor:
        """Draw x_s from q(x_s | x_t, x_0)."""
        part = soon / late
        return x_0 + part * (x - x_0) + (soon * (1 - part)).sqrt() * self._fresh(x)

    def _held(self, numbers: Tensor, codes: Tensor) -> _Cells:
        fixed = self.fixed
        if fixed is None:
            return numbers, codes
        return (
            torch.where(fixed.numbers_mask, fixed.numbers, numbers),
            torch.where(fixed.codes_mask, fixed.codes, codes),
        )

    def _there(self) -> Tensor:
        assert self.fixed is not None, "something is fixed"
        there = self.fixed.codes_mask.index_select(1, self.network.segments.owner)
        return torch.cat([there, self.fixed.numbers_mask], 1)

    def _fresh(self, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=self.noise, device=like.device)
