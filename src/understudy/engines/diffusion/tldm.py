"""TLDM: a variational autoencoder, and a diffusion of its latents (paper 000, section 5.2).

The stage "autoencoder" maximises the evidence lower bound; the stage "diffusion" learns to tell the noise in
z_t (eq. 2 and the loss L_DF). Latents are drawn from the encoder's posterior anew in every step, and not its
means: those are the latents that the decoder was trained on, and all rows' together have mean 0 and about
variance 1 without any look at the rows (`nets/vae.py`). So one code runs in the open and within a budget.

Known cells: a latent is chosen among many drawn ones by how likely it makes the known cells; then encoder and
decoder take turns, the known cells held fast (Rezende et al. 2014, appendix F).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.gaussian import Gaussian, noised
from understudy.engines.diffusion.rows import noise_of
from understudy.engines.diffusion.samplers import NoCodes, Plan, sample, times
from understudy.engines.diffusion.schedule import cosine, linear
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.nets.residual import Residual
from understudy.engines.nets.vae import Elbo, Vae, VaeSize, drawn
from understudy.engines.nets.vae_bound import WholeElbo
from understudy.engines.training.fit import Fit
from understudy.engines.training.mapping import mapped
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.order import seed_of
from understudy.engines.training.together import meeting

__all__ = ["Denoiser", "Noise", "NormalPrior", "TldmGenerator", "TldmLearner"]

POOL = 4_096  # latents among which those are chosen that fit known cells
AT_ONCE = 2_048  # rows that choose at a time
BLOCK = 8_192  # rows drawn at a time: their activations stay near the processor
_FARTHEST = 10.0  # a guessed latent lies no farther out: all rows' latents are about standard normal


@final
@dataclass(frozen=True)
class Noise:
    """How latents turn to noise, over how many times, and in how many steps they are walked back.

    `eta` 1 is the noisy way back of Ho et al. (2020), 0 that without noise (DDIM). Few steps of either shrink
    what they draw: with a perfect network, 50 noisy even ones leave 77 % of a variance of 1/4. So times are
    denser near the end, and without noise each step is taken again along the mean of its two ends (Heun):
    25 of those leave 100 %. That is for linear noise; the last steps of cosine noise are too long for it.
    """

    kind: Literal["linear", "cosine"] = "linear"
    times: int = 1_000
    steps: int = 25
    eta: float = 0.0

    def plan(self) -> Plan:
        """Return the way back."""
        moments = times(self.times, min(self.steps, self.times), "quadratic")
        return Plan(moments, second=self.eta == 0 and self.kind == "linear")


@final
class Denoiser(nn.Module):
    """A network that tells the noise in a latent, and how to walk back by it."""

    def __init__(self, latent: int, size: tuple[int, int], noise: Noise, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.size, self.noise = size, noise
        width, depth = size
        self.network = Residual(latent, latent, width=width, depth=depth, generator=generator)
        schedule = linear(noise.times) if noise.kind == "linear" else cosine(noise.times)
        self.walk = Gaussian(latent, schedule, eta=noise.eta, clip=_FARTHEST)

    def loss(self, latents: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the mean squared error of the noise told, for latents (b, ..., latent)."""
        t = torch.randint(self.noise.times, latents.shape[:-1], generator=noise, device=latents.device)
        eps = torch.randn(latents.shape, generator=noise, device=latents.device)
        told = self.network(noised(self.walk.schedule, latents, t, eps), self._clock(t))
        error: Tensor = told - eps
        return error.square().flatten(1).mean(1)

    def draw(self, rows: int, noise: torch.Generator) -> Tensor:
        """Return (rows, latent): standard normal noise walked back to latents."""
        found, _ = sample(self._told, (self.walk, NoCodes()), self.noise.plan(), rows, noise)
        return found

    def _told(self, latents: Tensor, codes: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        return self.network(latents, self._clock(t)), codes.to(latents.dtype)

    def _clock(self, t: Tensor) -> Tensor:
        return t * (1_000 / self.noise.times)  # in the units that sines of times are made for


@final
class NormalPrior(NamedTuple):
    """A normal law of latents: its mean, and a root R of its covariance R R^T."""

    mean: Tensor
    root: Tensor

    @classmethod
    def standard(cls, latent: int) -> NormalPrior:
        """Return N(0, I), which an autoencoder's latents are drawn to."""
        return cls(torch.zeros(latent), torch.eye(latent))

    def draw(self, rows: int, noise: torch.Generator) -> Tensor:
        """Return (rows, latent)."""
        fresh = torch.randn(rows, len(self.mean), generator=noise, device=noise.device)
        return self.mean.to(noise.device) + fresh @ self.root.to(noise.device).T


@final
@dataclass(frozen=True)
class TldmLearner(Learner):
    """The settings of both stages; without `noise` latents are standard normal and there is no second one.

    `denoiser` is the width and the depth of the network that tells noise. `draws` is how many latents, times
    and noises a record has in each step of the diffusion: the loss is their mean, so that they cost nothing
    under a budget (Dockhorn et al. 2023). With `means` numbers are decoded to the mean of
    their Gaussian, else drawn from it. `rounds` is how often encoder and decoder take turns around known
    cells. `whole` lets the autoencoder look at all records of a batch at once, which is faster and for
    training in the open alone.
    """

    size: VaeSize = field(default_factory=VaeSize)
    denoiser: tuple[int, int] = (256, 2)
    noise: Noise | None = field(default_factory=Noise)
    beta: float = 1.0
    draws: int = 1
    means: bool = False
    rounds: int = 2
    whole: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The autoencoder, and the diffusion of its latents if there is one."""
        return ("autoencoder", "diffusion") if self.noise is not None else ("autoencoder",)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> TldmGenerator:
        """Train the autoencoder, then what its latents are drawn from."""
        generator = torch.Generator().manual_seed(seed_of(seed, "tldm"))
        vae = Vae(fields, self.size, generator)
        whole = self.whole and _alone(fit)
        fit.train("autoencoder", vae, WholeElbo(self.beta) if whole else Elbo(self.beta))
        if self.noise is None:
            return TldmGenerator(vae, NormalPrior.standard(self.size.latent), self.means, self.rounds)
        denoiser = Denoiser(self.size.latent, self.denoiser, self.noise, generator)
        fit.train("diffusion", denoiser, self.denoising, inputs=vae.posterior)
        return TldmGenerator(vae, denoiser, self.means, self.rounds)

    def denoising(self, model: nn.Module, posteriors: Tensor, noise: torch.Generator) -> Tensor:
        """Return (b,): the loss of telling noise, of latents drawn from each record's posterior."""
        assert isinstance(model, Denoiser), "latents have a denoiser"
        if self.draws > 1:
            posteriors = posteriors[:, None].expand(-1, self.draws, -1)
        return model.loss(drawn(posteriors, noise), noise)


@final
class TldmGenerator(Generator):
    """Draws latents, and rows from the decoder."""

    def __init__(self, vae: Vae, prior: Denoiser | NormalPrior, means: bool, rounds: int) -> None:
        self.vae, self.prior, self.means, self.rounds = vae, prior, means, rounds
        for module in (vae, prior):
            if isinstance(module, nn.Module):
                module.eval().requires_grad_(False)

    def posteriors(self, matrix: Matrix) -> Matrix:
        """Return (rows, 2 latent): mean and log deviation of q(z | row), each row by itself."""
        device = next(self.vae.parameters()).device
        return _matrix(mapped(self.vae.posterior, torch.from_numpy(np.ascontiguousarray(matrix)).to(device)))

    def with_normal(self, mean: npt.NDArray[Any], covariance: npt.NDArray[Any]) -> TldmGenerator:
        """Return the generator with latents from a normal law."""
        root = np.linalg.cholesky(covariance)
        prior = NormalPrior(*(torch.from_numpy(np.float32(part)) for part in (mean, root)))
        return TldmGenerator(self.vae, prior, self.means, self.rounds)

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Draw rows; those around known cells by latents that fit them."""
        noise = noise_of(rng, next(self.vae.parameters()).device)
        with torch.no_grad():
            if known is None:
                sizes = [min(BLOCK, rows - start) for start in range(0, rows, BLOCK)]
                parts = [_matrix(self._decoded(self.prior.draw(size, noise), noise)) for size in sizes]
            else:
                pool = self.prior.draw(0 if known.fitting else POOL, noise)
                starts = range(0, rows, AT_ONCE)
                parts = [self._around(known.part(at, at + AT_ONCE), pool, noise) for at in starts]
        return np.concatenate(parts) if parts else np.empty((0, self.vae.fields.width), np.float32)

    @property
    def quick(self) -> bool:
        """Latents of a normal law take one pass; a diffusion takes many."""
        return isinstance(self.prior, NormalPrior)

    def state(self) -> State:
        """Return the weights, and the facts that the networks are rebuilt from."""
        facts: dict[str, Any] = {
            "fields": self.vae.fields.facts(),
            "size": asdict(self.vae.size),
            "means": self.means,
            "rounds": self.rounds,
            "noise": None,
        }
        arrays = arrays_of(vae=self.vae)
        if isinstance(self.prior, Denoiser):
            facts |= {"denoiser": list(self.prior.size), "noise": asdict(self.prior.noise)}
            return arrays | arrays_of(denoiser=self.prior), facts
        return arrays | {"mean": _matrix(self.prior.mean), "root": _matrix(self.prior.root)}, facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator that `state` wrote down, on a device if there is one."""
        size, unused = VaeSize(**facts["size"]), torch.Generator()
        vae = Vae(Fields.of(facts["fields"]), size, unused)
        load_arrays(tensors, vae=vae)
        prior: Denoiser | NormalPrior
        if facts["noise"] is None:
            prior = NormalPrior(*(torch.from_numpy(np.array(tensors[name])) for name in ("mean", "root")))
        else:
            width, depth = facts["denoiser"]
            prior = Denoiser(size.latent, (width, depth), Noise(**facts["noise"]), unused)
            load_arrays(tensors, denoiser=prior)
        return cls(vae, prior, facts["means"], facts["rounds"])

    def _decoded(self, latents: Tensor, noise: torch.Generator) -> Tensor:
        return self.vae.decode(latents, noise, means=self.means)

    def _around(self, known: Known, pool: Tensor, noise: torch.Generator) -> Matrix:
        mask = torch.from_numpy(known.mask).to(noise.device)
        there = known.mask | known.fitting
        values = torch.from_numpy(np.where(there, known.values, np.float32(0))).to(noise.device)
        rows = values if known.fitting else self._chosen(values, mask, pool, noise)
        for _ in range(self.rounds):
            latents = drawn(self.vae.posterior(rows), noise)
            rows = torch.where(mask, values, self._decoded(latents, noise))
        return np.where(known.mask, known.values, _matrix(rows))

    def _chosen(self, values: Tensor, mask: Tensor, pool: Tensor, noise: torch.Generator) -> Tensor:
        likely = self.vae.likelihoods(values, mask, self.vae.law(pool))
        chance = torch.rand(likely.shape, generator=noise, device=noise.device)
        latents = pool[(likely - chance.log_().neg_().log_()).argmax(1)]  # by the Gumbel trick
        return torch.where(mask, values, self._decoded(latents, noise))


def _alone(fit: Fit) -> bool:
    """Say whether one model is trained in the open, on a processor.

    On a device a step is captured, and small functions cost it nothing; models in a stack, and records under
    a budget, are computed side by side by what knows each small function.
    """
    return isinstance(fit, OpenFit) and fit.device.type == "cpu" and meeting() is None


def _matrix(tensor: Tensor) -> Matrix:
    return tensor.detach().cpu().numpy()
