"""Secret randomness for losses: torch generators whose whole state comes from the run's stream.

A loss draws times and noise for each place of a batch. Those draws hide nothing by themselves (the noise on
gradients does), but they must not be foreseen: see `training.NoisyTraining`.
"""

from __future__ import annotations

import numpy as np
import torch

from understudy.errors import UnderstudyError
from understudy.privacy.stream import Stream

__all__ = ["make_secret"]

_HEADER, _WORDS = 24, 624  # of the state of the processor's generator: three counters, then its words
_MASK = 0xFFFFFFFF


def make_secret(generator: torch.Generator, stream: Stream) -> None:
    """Put a generator into a state that only the key of the stream tells; the stream is used up by this.

    The processor's generator would take but 32 bits from a seed, few enough to try them all; so all its
    words are drawn. A device's generator takes the 64 bits of its seed.
    """
    generator.manual_seed(int(stream.uint64(1)[0] >> np.uint64(1)))
    if generator.device.type != "cpu":
        return
    state = generator.get_state().numpy().copy()
    words = state[_HEADER : _HEADER + 8 * _WORDS].view(np.uint64)
    if int(words[0]) != generator.initial_seed() & _MASK or int(words.max()) > _MASK:
        raise UnderstudyError(
            "secret: this version of torch keeps a generator's state in another form; please report this."
        )
    words[:] = stream.uint64(_WORDS) & np.uint64(_MASK)
    generator.set_state(torch.from_numpy(state))
