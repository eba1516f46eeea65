"""The kernels against plain tensor operations: in Triton's interpreter, or on a device where there is one."""

import importlib.util
import os
import subprocess
import sys

import pytest
import torch

from understudy.engines.dpsgd import chacha, chacha_triton

COMPARE = """
import torch
from understudy.engines.dpsgd import chacha, chacha_triton

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
key = chacha.key_words(bytes(range(32)), 1, device)
steps = torch.tensor([0, 5, 2**31 - 1], dtype=torch.int32, device=device)
assert torch.equal(chacha_triton.words(key, steps, 300), chacha.plain_words(key, steps, 300))
found = chacha_triton.whole_normals(key, steps[1:2], 1000.5, 300)
expected = chacha._box_muller(chacha.plain_words(key, steps[1:2], 300)[0], 1000.5)
assert (found - expected).abs().max() <= 1 and (found != expected).float().mean() < 0.01
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton comes with torch for a device")
def test_the_kernels_give_the_words_and_normals_of_plain_tensors():
    environment = dict(os.environ)
    if not torch.cuda.is_available():
        environment["TRITON_INTERPRET"] = "1"
    subprocess.run([sys.executable, "-c", COMPARE], check=True, env=environment)


def test_the_kernels_are_used_only_on_a_device():
    assert chacha._kernels(torch.device("cpu")) is None
    assert chacha_triton.__all__ == ["whole_normals", "words"]
