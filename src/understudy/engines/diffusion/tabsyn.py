"""TabSyn: an autoencoder of tokens, and a diffusion of its latents by EDM and Heun (Zhang et al. 2024).

The stage "autoencoder" learns a latent for each cell (`nets/token_vae.py`), the stage "diffusion" to denoise
the latents of whole rows. Those are the encoder's means, as in the reference; centred, scaled to deviation
1/2 and put end to end.

Known cells: the tokens of known columns are held fast while the others are walked back from noise. A token
is made by attention to all cells of its row, unknown ones too, so there are rounds: the cells that the last
one found make the tokens of the next. The first cells are those of a row that was drawn freely (`donors`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.donors import near_the_end, with_donors
from understudy.engines.diffusion.edm import EDM
from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Fixed, NoCodes, Plan, sample, unit_times
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.perceptron import Perceptron, Shape
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.token_vae import TokenLoss, TokenSize, TokenVae
from understudy.engines.training.fit import Fit
from understudy.engines.training.order import seed_of

__all__ = ["EdmLoss", "LatentDenoiser", "NetworkSize", "TabSynGenerator", "TabSynLearner"]

BLOCK = 8_192  # rows drawn at a time: their activations stay near the processor
_JUMP = 10  # by how many steps a walk around known cells goes back
_MOST_CHURN = 2**0.5 - 1  # as in EDM


class NetworkSize(NamedTuple):
    """The denoiser: residual blocks of one width, or the reference's perceptron, twice as wide inside."""

    kind: Literal["residual", "plain"] = "residual"
    width: int = 256
    depth: int = 3


@final
@dataclass(frozen=True)
class TabSynLearner(Learner):
    """The settings of both stages and of drawing.

    `beta` is what the divergence of latents weighs at first and at last, and `falling` over how many steps it
    falls; with a budget it is what it is at last. `draws` is how many latents a record has in each step of
    the first stage, and how many noises in the second. `churn` is EDM's. Levels are `drawn` from what the
    decoder says, or its likeliest. `rounds` and `again` are as the module and the samplers say.
    """

    size: TokenSize = field(default_factory=TokenSize)
    network: NetworkSize = field(default_factory=NetworkSize)
    beta: tuple[float, float] = (1e-2, 1e-5)
    falling: int = 0
    draws: int = 1
    sampling_steps: int = 50
    churn: float = 0.0
    drawn: bool = True
    rounds: int = 2
    again: int = 4

    @property
    def stages(self) -> tuple[str, ...]:
        """The autoencoder, and the diffusion of its latents."""
        return ("autoencoder", "diffusion")

    def learn(self, fields: Fields, fit: Fit, seed: int) -> TabSynGenerator:
        """Train the autoencoder, and then the denoiser on what it makes of rows."""
        generator = torch.Generator().manual_seed(seed_of(seed, "tabsyn"))
        vae = TokenVae(fields, self.size, generator)
        falling = 0 if fit.private else self.falling
        fit.train("autoencoder", vae, TokenLoss(*self.beta, falling, self.draws))
        denoiser = LatentDenoiser(fields.width * self.size.token, self.network, generator)
        fit.train("diffusion", denoiser, EdmLoss(self.draws), inputs=vae.latents)
        return TabSynGenerator(vae, denoiser, self)


@final
class LatentDenoiser(nn.Module):
    """Guesses latents of deviation 1/2 from noised ones."""

    def __init__(self, latent: int, size: NetworkSize, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.edm = EDM(latent)
        self.network: Residual | Perceptron
        if size.kind == "residual":
            self.network = Residual(latent, latent, width=size.width, depth=size.depth, generator=generator)
        else:
            hidden = (2 * size.width,) * (size.depth - 1) + (size.width,)
            shape = Shape(hidden, entry=size.width, activation="silu")
            self.network = Perceptron(latent, latent, shape, generator)

    def forward(self, x: Tensor, sigma: Tensor) -> Tensor:
        """Return a guess (..., latent) of the record, given x with noise of sigma (...)."""
        return self.edm.denoised(lambda scaled, clock: self._told(scaled, clock, sigma), x, sigma)

    def walk(self, x: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Return the guess that samplers ask for; all records have one time."""
        return self(x, self.edm.sigma(t[:1])), codes.to(x.dtype)

    def _told(self, scaled: Tensor, clock: Tensor, sigma: Tensor) -> Tensor:
        # Residual blocks are told the time, in the units of its sines; the reference ln(sigma) / 4.
        plain = isinstance(self.network, Perceptron)
        told: Tensor = self.network(scaled, clock if plain else 1_000 * self.edm.time(sigma))
        return told


@final
@dataclass(frozen=True)
class EdmLoss:
    """The squared error of denoised latents, weighed such that all noises count alike at first."""

    draws: int = 1

    def __call__(self, model: nn.Module, latents: Tensor, noise: torch.Generator) -> Tensor:
        """Return one number per record (b,), the mean over its coordinates and draws."""
        assert isinstance(model, LatentDenoiser), "this loss is of one network"
        x_0 = model.edm.data * latents[:, None].expand(-1, self.draws, -1)
        sigma = model.edm.draw(len(latents) * self.draws, noise).view(-1, self.draws)
        eps = torch.randn(x_0.shape, generator=noise, device=x_0.device)
        error: Tensor = model(x_0 + sigma[..., None] * eps, sigma) - x_0
        return (model.edm.weight(sigma) * error.square().mean(-1)).mean(-1)


@final
class TabSynGenerator(Generator):
    """Draws latents, and rows from the decoder."""

    def __init__(self, vae: TokenVae, denoiser: LatentDenoiser, settings: TabSynLearner) -> None:
        self._vae, self._denoiser, self._settings = vae.eval(), denoiser.eval(), settings
        self._rows = Rows(vae.fields).to(vae.numbers.device)
        # The order of tokens: numbers first, then codes.
        self._order = [*vae.fields.numbers, *vae.fields.codes]

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Walk back from noise by Heun's method, and decode."""
        if known is not None:
            known = with_donors(known, self._rows, lambda size: self.draw(size, rng), rng)
        noise = noise_of(rng, self._vae.numbers.device)
        parts = [
            self._block(min(BLOCK, rows - start), noise, known and known.part(start, start + BLOCK))
            for start in range(0, rows, BLOCK)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._vae.fields.width), np.float32)

    def state(self) -> State:
        """Return the weights, and what the networks are built from."""
        settings = asdict(self._settings)
        settings |= {"network": list(self._settings.network), "beta": list(self._settings.beta)}
        facts = {"fields": self._vae.fields.facts(), "settings": settings}
        return arrays_of(vae=self._vae, denoiser=self._denoiser), facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of other networks are refused."""
        told = dict(facts["settings"])
        told |= {"size": TokenSize(**told["size"]), "network": NetworkSize(*told["network"])}
        settings = TabSynLearner(**told | {"beta": tuple(told["beta"])})
        fields = Fields.of(facts["fields"])
        vae = TokenVae(fields, settings.size, torch.Generator())
        denoiser = LatentDenoiser(fields.width * settings.size.token, settings.network, torch.Generator())
        load_arrays(tensors, vae=vae, denoiser=denoiser)
        return cls(vae, denoiser, settings)

    @torch.no_grad()
    def _block(self, rows: int, noise: torch.Generator, known: Known | None) -> Matrix:
        if known is None:
            return self._decoded(self._walked(rows, noise), noise)
        found = known.values
        mask = torch.from_numpy(known.mask[:, self._order]).to(noise.device)
        mask = mask.repeat_interleave(self._settings.size.token, 1)
        for _ in range(self._settings.rounds):
            filled = np.where(known.mask, known.values, found)
            latents = self._denoiser.edm.data * self._vae.latents(torch.from_numpy(filled).to(noise.device))
            nothing = torch.zeros(rows, 0, dtype=torch.int64, device=noise.device)
            fixed = Fixed(latents, mask, nothing, nothing.bool())
            found = self._decoded(self._walked(rows, noise, fixed), noise)
        return np.where(known.mask, known.values, found)

    def _walked(self, rows: int, noise: torch.Generator, fixed: Fixed | None = None) -> Tensor:
        settings, edm = self._settings, self._denoiser.edm
        times, lifts = unit_times(settings.sampling_steps), None
        if settings.churn:
            grown = 1 + min(settings.churn / settings.sampling_steps, _MOST_CHURN)
            lifts = edm.time(grown * edm.sigma(times[:-1]))
        plan, start = Plan(times, lifts, second=True), None
        if fixed is not None:
            late = near_the_end(times, 1 / (1 + (edm.sigma(times) / edm.data) ** 2))
            lifts = None if lifts is None else lifts[1 - len(late) :]
            plan, start = Plan(late, lifts, True, settings.again, _JUMP), (fixed.numbers, fixed.codes)
        found, _ = sample(self._denoiser.walk, (edm, NoCodes()), plan, rows, noise, fixed=fixed, start=start)
        return found / edm.data

    def _decoded(self, latents: Tensor, noise: torch.Generator) -> Matrix:
        numbers, logs = self._vae.law(latents)
        segments = self._vae.segments
        codes = segments.draw(logs, noise) if self._settings.drawn else segments.argmax(logs)
        return self._rows.join(numbers, codes)
