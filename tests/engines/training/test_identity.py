from dataclasses import dataclass

import numpy as np
import torch

from engines.training.networks import network, noisy_loss, plain_loss
from understudy.engines.training.fit import Settings
from understudy.engines.training.identity import digest_of


@dataclass(frozen=True)
class Method:
    times: int

    def loss(self):
        """Stand in for a loss that depends on settings."""


def test_weights_settings_rows_and_functions_are_told_apart():
    parts = [
        network(seed=0), network(seed=1), network(inner=9), Settings(), Settings(steps=2), plain_loss,
        noisy_loss, np.zeros(3), np.ones(3), np.zeros((3, 1)), torch.zeros(3), None, Method(1).loss,
        Method(2).loss, network(seed=2).forward, network(seed=3).forward, Method(1), ("a",), ["a", "b"],
    ]  # fmt: skip
    assert len({digest_of(part) for part in parts}) == len(parts)


def test_the_same_made_twice_is_the_same():
    assert digest_of(network(), Settings(), plain_loss) == digest_of(network(), Settings(), plain_loss)
    assert digest_of(Method(1).loss) == digest_of(Method(1).loss)
