"""How well a diffusion of latents tells the noise in given rows: better in those that it was trained on.

What an adversary computes who holds the whole model. Nothing is trained, and no gradient is taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from understudy.engines.diffusion.tldm import Denoiser, TldmGenerator
from understudy.engines.generator import Generator, Matrix
from understudy.engines.nets.vae import drawn

__all__ = ["losses_of"]

BLOCK = 256  # rows at a time


def losses_of(
    generator: Generator, matrix: Matrix, *, draws: int = 256, seed: int = 0
) -> npt.NDArray[np.float64] | None:
    """Return (rows,): the mean loss of each row over noises, times and latents; None if none is diffused."""
    if not isinstance(generator, TldmGenerator) or not isinstance(generator.prior, Denoiser):
        return None
    device = next(generator.vae.parameters()).device
    noise = torch.Generator(device).manual_seed(seed)
    parts = []
    with torch.no_grad():
        for start in range(0, len(matrix), BLOCK):
            told = torch.from_numpy(generator.posteriors(matrix[start : start + BLOCK])).to(device)
            latents = drawn(told[:, None].expand(-1, draws, -1), noise)
            parts.append(generator.prior.loss(latents, noise).double().cpu().numpy())
    return np.concatenate(parts) if parts else np.empty(0)
