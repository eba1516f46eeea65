"""Rows to begin at, where some cells are known: each row has a donor among rows that were drawn freely.

Noise on a known cell tells the others of it late; a level that becomes others tells when all else is settled
(`test_samplers`). So a walk around known cells begins at a row that goes with them already, as in hot-deck
imputation (Andridge & Little 2010), with a little noise put on it (Meng et al. 2022, SDEdit): near enough to
its donor to keep what the cells say of each other, and far enough to be a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from understudy.engines.diffusion.rows import Rows, noise_of
from understudy.engines.diffusion.samplers import Fixed
from understudy.engines.generator import Known, Matrix

__all__ = ["near_the_end", "with_donors"]

POOL, FEWEST, PER_ROW = 4_096, 512, 32  # rows among which donors are chosen: at most, at least, for each row
AT_ONCE = 2_048  # rows that choose at a time
WIDTH = 0.25  # deviations by which a donor's number may well be off
KEPT = 0.9  # of a donor's variance, with what noise is put on it


def with_donors(known: Known, rows: Rows, draw: Callable[[int], Matrix], rng: np.random.Generator) -> Known:
    """Return the known cells with the others as a donor has them, if there are none that fit already.

    A donor's chance falls with its distance from the known cells as a normal density of deviation WIDTH does;
    two levels are sqrt(2) apart.
    """
    if known.fitting or not len(known.values):
        return known
    pool, fixed = draw(min(POOL, FEWEST + PER_ROW * len(known.values))), rows.fixed(known)
    assert fixed is not None, "something is known"
    noise = noise_of(rng, rows.numbers.device)
    cells = rows.split(torch.from_numpy(pool).to(noise.device))
    parts = [_places(cells, _part(fixed, at), noise) for at in range(0, len(fixed.codes), AT_ONCE)]
    donors = pool[torch.cat(parts).cpu().numpy()]
    return replace(known, values=np.where(known.mask, known.values, donors), fitting=True)


def near_the_end(times: Tensor, kept: Tensor) -> Tensor:
    """Return the falling times at which KEPT of a record is left or more, two at least.

    >>> near_the_end(torch.tensor([9, 5, 1, -1]), torch.tensor([0.0, 0.5, 0.9, 1.0]))
    tensor([ 1, -1])
    """
    late = kept.to(times.device) >= KEPT
    late[-2:] = True
    return times[late]


def _part(fixed: Fixed, start: int) -> Fixed:
    parts = (fixed.numbers, fixed.numbers_mask, fixed.codes, fixed.codes_mask)
    return Fixed(*(part[start : start + AT_ONCE] for part in parts))


def _places(pool: tuple[Tensor, Tensor], fixed: Fixed, noise: torch.Generator) -> Tensor:
    numbers, codes = pool
    far = torch.zeros(len(fixed.codes), len(codes), device=noise.device)
    # Column by column: as one-hots, levels by the thousand would not fit.
    for place in range(numbers.shape[1]):
        off = (fixed.numbers[:, place, None] - numbers[:, place]).square()
        far += torch.where(fixed.numbers_mask[:, place, None], off, 0.0)
    for place in range(codes.shape[1]):
        other = fixed.codes[:, place, None] != codes[:, place]
        far += 2.0 * (other & fixed.codes_mask[:, place, None])
    chance = torch.rand(far.shape, generator=noise, device=noise.device)
    return (far / (-2 * WIDTH**2) - chance.log_().neg_().log_()).argmax(1)  # by the Gumbel trick
