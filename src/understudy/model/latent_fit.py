"""Fits of a method that trains an autoencoder, and learns its latents in other ways than by noisy steps.

`learn_partly` is Algorithm 1 of paper 000: the diffusion reads the rows as they are, so nothing but the
weights of the autoencoder is protected, and the certificate says so. `law_of_latents` learns a normal law of
the latents from one sum, which has noise within a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from understudy.engines.diffusion.latent_moments import Floats, clip_of, law_of, vectors_of, width_of
from understudy.engines.generator import Generator
from understudy.model.neural_fit import Bought, Method, private_fit
from understudy.privacy import Vault
from understudy.privacy.events import Event, Gaussian
from understudy.privacy.mechanism import Columns
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.progress import Progress

if TYPE_CHECKING:
    from understudy.engines.training.fit import Fit

__all__ = ["LATENTS", "OPENED", "PROTECTED", "law_of_latents", "learn_partly"]

Encoded = Callable[[Columns], npt.NDArray[np.float32]]

LATENTS = "latents.moments"
PROTECTED = "the weights of the autoencoder"
OPENED = "second stage: the diffusion is trained on encodings of the private rows, without noise"


def learn_partly(
    method: Method,
    vault: Vault,
    events: Mapping[str, Event],
    bought: Bought,
    *,
    progress: Progress,
    seed: int,
) -> Generator:
    """Train the first stage through noise, seal its weights, and train the others on the rows themselves.

    Guarantee: for the sealed weights alone, that of the noisy steps and of what was bought before. None for
    anything else: what is trained here can give single rows back.
    """
    from understudy.engines.training.openly import OpenFit
    from understudy.engines.training.partly import PartlyOpenFit

    def opened(weights: dict[str, npt.NDArray[Any]]) -> Fit:
        vault.seal(PROTECTED, save({name: np.ascontiguousarray(each) for name, each in weights.items()}))
        matrix = bought.rule(vault.open(OPENED))
        return OpenFit(matrix, method.settings, seed, progress, device=method.device)

    private = private_fit(method, vault, events, bought, progress)
    fit = PartlyOpenFit(private, method.learner.stages[0], opened)
    return method.learner.learn(bought.fields, fit, seed)


def law_of_latents(
    vault: Vault, encoded: Encoded, latent: int, rows: float = 0.0, price: Event | None = None
) -> tuple[Floats, Floats]:
    """Return mean and covariance of the latents of all rows: through noise at a price, or in the open.

    `encoded` tells the posterior of each row by itself. Guarantee, at a price: it is made of what was
    released before, so that each row gives one vector, which is clipped: `ClippedSums`.
    """

    def vectors(columns: Columns) -> Floats:
        return vectors_of(encoded(columns))

    if price is None:
        every = vectors(vault.open("moments of the latents of all rows"))
        return law_of(every.sum(axis=0), len(every))
    assert isinstance(price, Gaussian), "sums are paid for with Gaussian noise"
    clip = clip_of(latent)
    sums = vault.read(LATENTS, ClippedSums(vectors, vault.names, width_of(latent), clip, price))
    return law_of(sums, rows, price.noise * clip)
