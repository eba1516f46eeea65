"""Randomness as an argument: one seed, many independent streams, each known by name.

The streams made here draw initial weights and synthetic rows. They never feed privacy
noise: that comes from a keyed cipher stream in the privacy room.
"""

from __future__ import annotations

import hashlib
from typing import cast

import numpy as np

from understudy.errors import ParameterError

__all__ = ["seed_of", "stream"]


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the generator that belongs to `seed` and this path of names.

    Streams of different names are independent, so adding a draw in one place does not
    shift the numbers drawn in another; the global random state is neither read nor set.

    >>> stream(0, "sample").integers(100) == stream(0, "sample").integers(100)
    np.True_
    >>> bool(stream(0, "a").random() == stream(0, "b").random())
    False
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**128:
        raise ParameterError(f"seed must be a whole number from 0 to 2**128 - 1; got {seed!r}.")
    path = tuple(int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") for name in names)
    return np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=path))


def seed_of(generator: np.random.Generator) -> int:
    """Return the seed that a stream was made from, for what streams of different names are to draw alike.

    >>> seed_of(stream(7, "sample"))
    7
    """
    sequence = cast("np.random.SeedSequence", generator.bit_generator.seed_seq)
    if not isinstance(sequence.entropy, int | np.integer):
        raise ParameterError("seed_of: expected a generator that was made from one whole number.")
    return int(sequence.entropy)
