import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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


class Schedule:
    def __init__(self, times):
        self.times, self.owner = times, self

    def loss(self):
        """Stand in for a loss of an object that leads back to itself."""


def closing_over(times):
    return lambda model: times * model


def test_what_a_function_closes_over_or_belongs_to_tells_it_apart():
    parts = [
        closing_over(1), closing_over(2), Schedule(1).loss, Schedule(2).loss, Schedule(3), partial(min, 1),
        partial(min, 2), partial(max, 1), torch.tanh, torch.sigmoid, {"a": 1}, {"a": 2}, {"b": 1},
    ]  # fmt: skip
    assert len({digest_of(part) for part in parts}) == len(parts)
    assert digest_of(closing_over(1)) == digest_of(closing_over(1))
    assert digest_of(Schedule(1).loss) == digest_of(Schedule(1).loss)


def test_a_plain_attribute_of_a_model_counts_and_its_mode_does_not():
    first, second = network(), network()
    first.eval()
    assert digest_of(first) == digest_of(second)
    second.times = 5
    assert digest_of(first) != digest_of(second)


def test_no_digest_depends_on_where_an_object_lies():
    script = "from engines.training.test_identity import far; print(far())"
    assert subprocess_of(script) == far()


def far():
    return digest_of(Schedule(1), closing_over(Schedule(2)))


def subprocess_of(script):
    tests = Path(__file__).parents[2]
    paths = os.pathsep.join([str(tests), str(tests.parent / "src")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return done.stdout.strip()


def test_a_tensor_without_a_number_is_known_too():
    assert digest_of(torch.zeros(0)) == digest_of(torch.zeros(0)) != digest_of(torch.zeros(1))
