import os

import numpy as np
import pytest
import torch
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from understudy.engines.dpsgd import chacha

CPU = torch.device("cpu")
KEY = bytes(range(32))


def test_a_block_is_that_of_rfc_8439():
    """Section 2.3.2: key 00..1f, nonce 00 00 00 09 00 00 00 4a 00 00 00 00, counter 1."""
    key = chacha.key_words(KEY, 0x4A000000, CPU)
    block = chacha.plain_words(key, torch.tensor([0x09000000], dtype=torch.int32), 2)[0, :, 1]
    expected = (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )
    assert block.contiguous().numpy().tobytes().hex() == expected


@pytest.mark.parametrize(("step", "purpose"), [(0, 1), (1, 2), (2**31 - 1, 7)])
def test_the_words_are_those_of_another_implementation(step, purpose):
    secret, blocks = os.urandom(32), 50
    key = chacha.key_words(secret, purpose, CPU)
    found = chacha.words(key, torch.tensor([step], dtype=torch.int32), blocks)[0]
    nonce = b"".join(value.to_bytes(4, "little") for value in (0, step, purpose, 0))
    expected = Cipher(algorithms.ChaCha20(secret, nonce), mode=None).encryptor().update(bytes(64 * blocks))
    assert found.T.contiguous().numpy().tobytes() == expected


def test_no_two_steps_blocks_or_purposes_share_a_block():
    steps = torch.arange(1_000, dtype=torch.int32)
    blocks = [
        chacha.words(chacha.key_words(KEY, p, CPU), steps, 50).transpose(1, 2).reshape(-1, 16) for p in (1, 2)
    ]
    firsts = torch.cat(blocks)[:, :2].contiguous().numpy().view(np.int64)
    assert len(np.unique(firsts)) == 100_000


def test_the_steps_of_one_call_are_those_of_single_calls():
    key, steps = chacha.key_words(KEY, 1, CPU), torch.tensor([3, 9], dtype=torch.int32)
    both = chacha.words(key, steps, 7)
    assert torch.equal(both[1], chacha.words(key, steps[1:], 7)[0])


def test_normals_have_the_right_spread_and_accept_1_00_and_reject_1_05():
    key, n = chacha.key_words(KEY, 1, CPU), 200_000
    out = torch.empty(n)
    chacha.whole_normals(key, torch.tensor([4], dtype=torch.int32), 1000.0, out)
    z = out.double() / 1000
    bound = 5 / (2 * n) ** 0.5  # five standard errors: one false alarm in 10^6
    assert abs(float(z.mean())) < 5 / n**0.5
    assert abs(float(z.std()) - 1) < bound < abs(1.05 * float(z.std()) - 1)
    assert abs(float((z**4).mean()) - 3) < 5 * (96 / n) ** 0.5
    assert torch.equal(out, out.round())
    halves = z[: n // 2], z[n // 2 :]  # cosines and sines of the same radii
    assert abs(float((halves[0] * halves[1]).mean())) < 5 / (n / 2) ** 0.5


def test_different_steps_and_keys_give_unrelated_normals():
    out = torch.empty(3, 20_000)
    for row, (key, step) in enumerate([(KEY, 0), (KEY, 1), (bytes(range(1, 33)), 0)]):
        words = chacha.key_words(key, 1, CPU)
        chacha.whole_normals(words, torch.tensor([step], dtype=torch.int32), 1000.0, out[row])
    assert torch.corrcoef(out).fill_diagonal_(0).abs().max() < 0.035


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.5, 0.999])
def test_each_row_is_drawn_with_the_rate(rate):
    mask = chacha.below(chacha.key_words(KEY, 2, CPU), torch.arange(20, dtype=torch.int32), rate, 9_999)
    assert mask.shape == (20, 9_999)
    error = (rate * (1 - rate) / mask.numel()) ** 0.5
    assert abs(float(mask.double().mean()) - rate) < 5 * error


def test_rates_of_nothing_and_of_everything():
    key, step = chacha.key_words(KEY, 2, CPU), torch.zeros(1, dtype=torch.int32)
    assert chacha.below(key, step, 1.0, 1_000).all()
    assert not chacha.below(key, step, 1e-12, 1_000).any()
