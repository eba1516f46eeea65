"""TabDiff: numbers with noise added and codes hidden, in one continuous time (Shi et al. 2025).

Numbers go through EDM, codes are masked, and one network is asked for both: for the numbers as they were, and
for the hidden codes given the shown ones. A row is drawn by walking back from nothing but noise, all hidden.
In some records some numbers are left as they are and the network is told which: so it learns to draw the rest
of a row around cells that are known.

Differences to the paper: its columns learn schedules of their own and its network is a transformer on tokens;
here one schedule serves all and the network is a residual perceptron, which a processor trains in seconds.
In the open four records of a batch share a time and its times are evenly spread, where its size allows it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.edm import EDM
from understudy.engines.diffusion.masked import Masked
from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Fixed, Plan, sample, unit_times
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.residual import Residual, once
from understudy.engines.nets.segments import Segments
from understudy.engines.training.fit import Fit

__all__ = ["TabDiffGenerator", "TabDiffLearner"]

STAGE = "denoiser"
_KNOWN = 0.25  # of the records have some numbers left as they are
BLOCK = 8_192  # rows drawn at a time: their activations stay near the processor


@final
@dataclass(frozen=True)
class TabDiffLearner(Learner):
    """The network's size, what numbers weigh beside codes, and in how many steps rows are drawn.

    `draws` is how often each record is noised in a step, at times spread evenly: under a budget a record
    pays for its gradient, not for what it is the mean of. `together` is how many records have one time, so
    that what the network makes of a time is computed once for them; under a budget every record is by itself.
    """

    width: int = 256
    depth: int = 2
    numbers_weight: float = 0.3
    draws: int = 1
    sampling_steps: int = 20
    together: int = 1

    @property
    def stages(self) -> tuple[str, ...]:
        """One network, trained once."""
        return (STAGE,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> TabDiffGenerator:
        """Train the denoiser; its first guess of every code is what is known of its shares."""
        network = Denoiser(fields, self.width, self.depth, torch.Generator().manual_seed(seed))
        fit.train(STAGE, network, JointLoss(self.numbers_weight, self.draws, self.together))
        return TabDiffGenerator(network, replace(self, draws=1, together=1))


@final
@dataclass(frozen=True)
class JointLoss:
    """The squared error of denoised numbers, as EDM weighs it, and the cross-entropy of hidden codes."""

    numbers_weight: float
    draws: int
    together: int = 1

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,)."""
        assert isinstance(model, Denoiser), "this loss is of one network"
        numbers, codes, t = self._timed(model.rows.split(rows), noise)  # (b, draws, ..)
        hidden, known = model.masked.noised(codes, t, noise), _left(numbers, noise)
        x = torch.where(known, numbers, model.edm.noised(numbers, t, noise))
        guess, logits = model(x, hidden, t, known)
        # A known number is guessed as it is: its error is 0.
        errors = model.edm.weight(model.edm.sigma(t))[..., None] * (guess - numbers).square()
        surprise = model.masked.loss(logits, codes, hidden, t) / model.masked.weight(t)[..., None]
        each: Tensor = self.numbers_weight * errors.sum(-1) + surprise.sum(-1)
        return each.mean(1) if len(each) == len(rows) else each.flatten()

    def _timed(self, parts: tuple[Tensor, Tensor], noise: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        records, group = len(parts[0]), self.together
        if group == 1 or self.draws > 1 or records % group:
            numbers, codes = (part[:, None].expand(-1, self.draws, -1) for part in parts)
            return numbers, codes, _times(records, self.draws, noise)
        numbers, codes = (part.reshape(records // group, group, part.shape[1]) for part in parts)
        return numbers, codes, _times(1, records // group, noise).T.expand(-1, group)


@final
class Denoiser(nn.Module):
    """Guesses numbers and codes of noised rows at times in 0 .. 1."""

    def __init__(self, fields: Fields, width: int, depth: int, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.rows, self.masked = Rows(fields), Masked(Segments(fields.sizes))
        self.edm = EDM(len(fields.numbers), data=1.0)  # ranks as normals have variance 1
        count = len(fields.numbers)
        self.network = Residual(
            2 * count + self.masked.inputs.total,
            count + fields.levels,
            width=width,
            depth=depth,
            generator=generator,
        )
        self.network.begin_at(torch.from_numpy(_first_guess(fields)))

    def forward(
        self,
        numbers: Tensor,
        codes: Tensor,
        t: Tensor,
        known: Tensor | None = None,
        *,
        alone: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Return the numbers as they were (..., k), and logits of the codes (..., total); `alone` without.

        Where `known` is true a number is free of noise, and comes back.
        """
        told = torch.zeros_like(numbers) if known is None else known.to(numbers.dtype)
        sigma = self.edm.sigma(t)[..., None] * (1 - told)  # (..., k)
        found: list[Tensor] = []

        def network(scaled: Tensor, clock: Tensor) -> Tensor:
            del clock  # the time itself is told, in the units that its sines are made for
            entered = self._entered(torch.cat([scaled[..., 0], told], -1), codes)
            out = self.network.after(entered, 1_000 * once(t), self.edm.width if alone else None)
            found.append(out[..., self.edm.width :])
            return out[..., : self.edm.width, None]

        guess = self.edm.denoised(network, numbers[..., None], sigma)
        return guess[..., 0], found[0]

    def numbers_alone(self, numbers: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the second half of Heun's step asks for: codes have moved already."""
        found: tuple[Tensor, Tensor] = self(numbers, codes, t, alone=True)
        return found

    def _entered(self, floats: Tensor, codes: Tensor) -> Tensor:
        """Return what the first layer makes of floats and one-hots; while drawing, without the one-hots.

        A product with one-hots is a sum of rows of the weight. Adding up the rows takes a fraction of the
        time, but their derivative takes more, and a private training needs the product.
        """
        enter, inputs, count = self.network.enter, self.masked.inputs, floats.shape[-1]
        if torch.is_grad_enabled() or codes.shape[-1] == 0:
            shown = inputs.onehot(codes).to(floats.dtype)
            entered: Tensor = enter(torch.cat([floats, shown], -1))
            return entered
        rows = enter.weight[:, count:].T.contiguous()
        places = (codes + inputs.starts).flatten(0, -2)
        summed = nn.functional.embedding_bag(places, rows, mode="sum").view(*codes.shape[:-1], -1)
        return summed + nn.functional.linear(floats, enter.weight[:, :count], enter.bias)


@final
@dataclass(frozen=True, eq=False)
class Around:
    """A denoiser of rows of which some numbers are known: it sees these without noise."""

    network: Denoiser
    fixed: Fixed

    def __call__(
        self, numbers: Tensor, codes: Tensor, t: Tensor, *, alone: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Return the guesses; the sampler shows known codes by itself."""
        known = self.fixed.numbers_mask
        found: tuple[Tensor, Tensor] = self.network(
            torch.where(known, self.fixed.numbers, numbers), codes, t, known, alone=alone
        )
        return found

    def numbers_alone(self, numbers: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return the guess of numbers."""
        return self(numbers, codes, t, alone=True)


@final
class TabDiffGenerator(Generator):
    """Draws rows with a trained denoiser."""

    def __init__(self, network: Denoiser, settings: TabDiffLearner) -> None:
        self._network, self._settings = network.eval(), settings

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Walk back from noise by Heun's method, around known cells if there are any."""
        parts = [
            self._block(min(BLOCK, rows - start), rng, known and known.part(start, start + BLOCK))
            for start in range(0, rows, BLOCK)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._network.rows.fields.width), np.float32)

    def _block(self, rows: int, rng: np.random.Generator, known: Known | None) -> Matrix:
        network = self._network
        noise = noise_of(rng, network.rows.numbers.device)
        fixed = network.rows.fixed(known)
        plan = Plan(unit_times(self._settings.sampling_steps), second=bool(network.edm.width))
        around = network if fixed is None else Around(network, fixed)
        found = sample(around, (network.edm, network.masked), plan, rows, noise, fixed=fixed)
        matrix = network.rows.join(*found)
        return matrix if known is None else np.where(known.mask, known.values, matrix)

    def state(self) -> State:
        """Return the weights, and what the network is built from."""
        settings = asdict(self._settings)
        del settings["together"]  # of no meaning once it is trained
        facts = {"fields": self._network.rows.fields.facts(), "settings": settings}
        return arrays_of(network=self._network), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of another network are refused."""
        settings = TabDiffLearner(**facts["settings"])
        network = Denoiser(Fields.of(facts["fields"]), settings.width, settings.depth, torch.Generator())
        load_arrays(tensors, network=network)
        return cls(network, settings)


def _times(records: int, draws: int, noise: torch.Generator) -> Tensor:
    """Return (records, draws) times, even on 0 .. 1 by themselves and evenly spread within each record."""
    first = torch.rand(records, 1, generator=noise, device=noise.device)
    return (first + torch.arange(draws, device=noise.device) / draws).remainder(1)


def _left(numbers: Tensor, noise: torch.Generator) -> Tensor:
    """Return which numbers are left as they are: in most records none, in others any share of them."""
    some = torch.rand((*numbers.shape[:-1], 2, 1), generator=noise, device=numbers.device)
    each = torch.rand(numbers.shape, generator=noise, device=numbers.device)
    return (some[..., 0, :] < _KNOWN) & (each < some[..., 1, :])


def _first_guess(fields: Fields) -> npt.NDArray[np.float32]:
    shares = [np.log(each) for each in fields.shares]
    return np.concatenate([np.zeros(len(fields.numbers)), *shares]).astype(np.float32)
