"""TabDDPM: Gaussian diffusion of numbers, multinomial diffusion of codes (Kotelnikov et al. 2023).

One network tells the noise in the numbers and guesses the codes as they were, at 1,000 discrete times; it may
be given a label. Rows are drawn in far fewer steps: numbers by the posterior between any two times, codes by
first drawing the record and then the way to it, which is exact for every stride.

Differences to the published code, all of them settings: the network may tell v, of which the noise follows,
and whose first guess 0 is right for normal numbers (Salimans & Ho 2022); codes may be learned by the
cross-entropy of the record (simpler and faster than the bound); and all columns may count alike.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.donors import near_the_end, with_donors
from understudy.engines.diffusion.gaussian import Gaussian, noised, x0_of
from understudy.engines.diffusion.labelled import LabelledCodes
from understudy.engines.diffusion.multinomial import Multinomial
from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Plan, sample, times
from understudy.engines.diffusion.schedule import cosine, linear
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.perceptron import Perceptron, Shape
from understudy.engines.nets.segments import SPARE, Segments
from understudy.engines.training.fit import Fit
from understudy.engines.training.precision import computing
from understudy.engines.training.widened import NEVER, Spare

__all__ = ["NoiseLoss", "TabDDPMGenerator", "TabDDPMLearner", "TabDDPMNetwork"]

STAGE = "denoiser"
BLOCK = {"cpu": 4_096, "cuda": 65_536}  # rows drawn at a time: on a processor what stays near it
FARTHEST = 6.0  # where hardly any signal is left, a guess of a normal score lies no farther out


@final
@dataclass(frozen=True)
class TabDDPMLearner(Learner):
    """The label's column ("": none), the network, the noise, the loss, and how rows are drawn.

    `hide` is the share of records whose label the network has to guess: without it, labels that are missing
    beside known cells are drawn by their shares alone. `predicts` says what the network tells of numbers:
    the noise "eps" as in the paper, or "v". `loss_of_codes` "kl" is the bound of the paper.
    `balance` "columns" lets every column count alike; "kinds", as in the paper, numbers together as much as
    codes together. `reverse` "plugged" takes the steps of the paper, meant for all times. `draws` is how
    often a record is noised in a step. `again` is how often each step around known cells is walked.
    """

    label: str = ""
    hide: float = 0.1
    layers: tuple[int, ...] = (256, 256)
    entry: int = 128
    noise: Literal["cosine", "linear"] = "cosine"
    times: int = 1_000
    predicts: Literal["v", "eps"] = "v"
    loss_of_codes: Literal["cross_entropy", "kl"] = "cross_entropy"
    balance: Literal["columns", "kinds"] = "columns"
    reverse: Literal["mixture", "plugged"] = "mixture"
    eta: float = 1.0
    sampling_steps: int = 30
    again: int = 1
    draws: int = 1

    @property
    def stages(self) -> tuple[str, ...]:
        """One network, trained once."""
        return (STAGE,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> TabDDPMGenerator:
        """Train the network; its first guess of every code is what is known of its shares."""
        ordered = fields.last(self.label) if self.label else fields
        network = TabDDPMNetwork(ordered, self, torch.Generator().manual_seed(seed))
        fit.train(STAGE, network, NoiseLoss(self))
        return TabDDPMGenerator(network, replace(self, draws=1))


@final
class TabDDPMNetwork(nn.Module):
    """Tells the noise in numbers and guesses codes; the label, if there is one, is the last of the codes."""

    def __init__(self, fields: Fields, settings: TabDDPMLearner, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        schedule = (cosine if settings.noise == "cosine" else linear)(settings.times)
        plugged = settings.reverse == "plugged"
        count = len(fields.sizes) - bool(settings.label)
        self.rows, self.count, self.predicts = Rows(fields), len(fields.numbers), settings.predicts
        self.numbers = Gaussian(
            self.count, schedule, predicts="x0", eta=settings.eta, wide=plugged, clip=FARTHEST
        )
        self.codes = Multinomial(Segments(fields.sizes[:count]), schedule, plugged=plugged)
        self.label = Segments(fields.sizes[count:])
        told = fields.shares if settings.hide else fields.shares[:count]
        bias = np.concatenate([np.zeros(self.count), *(np.log(each) for each in told)])
        self.network = Perceptron(
            self.count + self.codes.segments.total,
            len(bias),
            Shape(settings.layers, settings.entry, quiet=True),
            generator,
            labels=sum(size + 1 for size in fields.sizes[count:]),
        )
        with torch.no_grad():
            self.network.leave.bias.copy_(torch.from_numpy(bias))
        shares = [share for each in fields.shares[count:] for share in np.log(each).tolist()]
        self.register_buffer("shares", torch.tensor(shares), persistent=bool(shares))

    def room(self) -> dict[str, Spare]:
        """Return what stands at spare places behind all levels; there are none where a label stands."""
        if self.label.sizes:
            return {}
        layers = {"enter.weight": Spare(1), "leave.weight": Spare(0), "leave.bias": Spare(0, NEVER)}
        held = {f"codes.segments.{name}": spare for name, spare in SPARE.items()}
        return {f"network.{name}": spare for name, spare in layers.items()} | held

    def forward(self, numbers: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return eps or v (..., k) of numbers, and logits of codes and perhaps of the label."""
        noisy, label = self.walk().apart(codes)
        inputs = torch.cat([numbers, self.codes.segments.onehot(noisy)], -1)
        out = self.network(inputs, t, label[..., 0] if label.shape[-1] else None)
        return out[..., : self.count], out[..., self.count :]

    def denoised(self, numbers: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return the numbers as they were, by the network's guess, and the logits."""
        told, logits = self(numbers, codes, t)
        if self.predicts == "eps":
            return x0_of(self.numbers.schedule, numbers, told, t), logits
        kept, lost = self._roots(t)
        return kept * numbers - lost * told, logits

    def target(self, numbers: Tensor, eps: Tensor, t: Tensor) -> Tensor:
        """Return what the network should tell of numbers with this noise."""
        if self.predicts == "eps":
            return eps
        kept, lost = self._roots(t)
        return kept * eps - lost * numbers

    def _roots(self, t: Tensor) -> tuple[Tensor, Tensor]:
        schedule = self.numbers.schedule
        return schedule.kept(t).sqrt()[..., None], schedule.lost(t).sqrt()[..., None]

    def walk(self, *, uncovers: bool = False) -> LabelledCodes:
        """Return how codes walk back; a label is drawn first, or uncovered at last."""
        shares = self.get_buffer("shares")
        return LabelledCodes(self.codes, self.label, shares, uncovers)


@final
@dataclass(frozen=True)
class NoiseLoss:
    """The squared error of what is told of numbers, and what the record's codes are worth by the guess."""

    settings: TabDDPMLearner

    def __call__(self, model: nn.Module, rows: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,)."""
        assert isinstance(model, TabDDPMNetwork), "this loss is of one network"
        draws, walk = self.settings.draws, model.walk()
        numbers, codes = model.rows.split(rows.repeat_interleave(draws, 0) if draws > 1 else rows)
        t = _times(len(rows), draws, self.settings.times, noise)
        eps = torch.randn(numbers.shape, generator=noise, device=rows.device)
        noisy, label = walk.apart(walk.noised(codes, t, noise))
        shown = self._hidden(model, label, noise)
        given = (noised(model.numbers.schedule, numbers, t, eps), torch.cat([noisy, shown], -1), t)
        # The first axis must be the record's, or each of its draws would count as a record to clip.
        shape = (len(rows), draws) if draws > 1 else (len(rows),)
        guess = model(*(part.reshape(*shape, *part.shape[1:]) for part in given))
        told, logits = (part.flatten(0, -2) for part in guess)
        errors = (told - model.target(numbers, eps, t)).square()
        surprise = self._surprise(model, logits, (codes, noisy, t), shown)
        return self._total(errors, surprise).reshape(len(rows), -1).mean(1)

    def _hidden(self, model: TabDDPMNetwork, label: Tensor, noise: torch.Generator) -> Tensor:
        """Return labels of which some are hidden."""
        if not (self.settings.label and self.settings.hide):
            return label
        chance = torch.rand(label.shape, generator=noise, device=label.device)
        return torch.where(chance < self.settings.hide, model.label.counts, label)

    def _surprise(
        self, model: TabDDPMNetwork, logits: Tensor, path: tuple[Tensor, Tensor, Tensor], shown: Tensor
    ) -> Tensor:
        """Return (b, m): the loss of each code, and of the label where it is hidden."""
        (record, noisy, t), total = path, model.codes.segments.total
        codes, label = model.walk().apart(record)
        if self.settings.loss_of_codes == "kl":
            bound = self.settings.times * model.codes.kl(logits[..., :total], codes, noisy, t)
            found = bound + model.codes.prior_kl()
        else:
            found = model.codes.cross_entropy(logits[..., :total], codes)
        if logits.shape[-1] == total:
            return found
        segments = model.label
        hidden = segments.cross_entropy(logits[..., total:], label)
        return torch.cat([found, torch.where(shown == segments.counts, hidden, 0.0)], -1)

    def _total(self, errors: Tensor, surprise: Tensor) -> Tensor:
        numbers, codes = (max(part.shape[-1], 1) for part in (errors, surprise))
        if self.settings.balance == "kinds":
            return errors.sum(-1) / numbers + surprise.sum(-1) / codes
        return (errors.sum(-1) + surprise.sum(-1)) / (errors.shape[-1] + surprise.shape[-1])


@final
class TabDDPMGenerator(Generator):
    """Draws rows with a trained network."""

    def __init__(self, network: TabDDPMNetwork, settings: TabDDPMLearner) -> None:
        self._network, self._settings = network.eval(), settings

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Walk back from noise; around known cells, from rows that have them (`donors`)."""
        network = self._network
        if known is not None:
            known = with_donors(known, network.rows, lambda size: self.draw(size, rng), rng)
        noise = noise_of(rng, network.rows.numbers.device)
        size = BLOCK["cpu" if noise.device.type == "cpu" else "cuda"]
        with computing("auto", noise.device):
            parts = [
                self._block(min(size, rows - start), noise, known and known.part(start, start + size))
                for start in range(0, rows, size)
            ]
        return np.concatenate(parts) if parts else np.empty((0, network.rows.fields.width), np.float32)

    def state(self) -> State:
        """Return the weights, and what the network is built from."""
        settings = asdict(self._settings) | {"layers": list(self._settings.layers)}
        facts = {"fields": self._network.rows.fields.facts(), "settings": settings}
        return arrays_of(network=self._network), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of another network are refused."""
        settings = TabDDPMLearner(**(facts["settings"] | {"layers": tuple(facts["settings"]["layers"])}))
        network = TabDDPMNetwork(Fields.of(facts["fields"]), settings, torch.Generator())
        load_arrays(tensors, network=network)
        return cls(network, settings)

    def _block(self, rows: int, noise: torch.Generator, known: Known | None) -> Matrix:
        network, settings = self._network, self._settings
        visited = times(settings.times, min(settings.sampling_steps, settings.times))
        fixed = network.rows.fixed(known)
        if known is None or fixed is None:
            walks = (network.numbers, network.walk())
            return network.rows.join(*sample(network.denoised, walks, Plan(visited), rows, noise))
        walk = network.walk(uncovers=bool(settings.label and settings.hide))
        late = near_the_end(visited, network.codes.schedule.kept(visited.to(noise.device)))
        plan, start = Plan(late, again=settings.again), (fixed.numbers, walk.covered(fixed.codes))
        walks = (network.numbers, walk)
        found = sample(network.denoised, walks, plan, rows, noise, fixed=fixed, start=start)
        return np.where(known.mask, known.values, network.rows.join(*found))


def _times(records: int, draws: int, steps: int, noise: torch.Generator) -> Tensor:
    """Return (records * draws,) times, all alike by themselves and evenly spread within each record."""
    first = torch.rand(records, 1, generator=noise, device=noise.device)
    place = (first + torch.arange(draws, device=noise.device) / draws).remainder(1)
    return (place * steps).long().clamp(max=steps - 1).flatten()
