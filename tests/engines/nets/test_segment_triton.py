"""The kernels against plain tensor operations: in Triton's interpreter, or on a device where there is one."""

import importlib.util
import itertools
import os
import subprocess
import sys

import pytest
import torch

from understudy.engines.nets import segment_triton, segments
from understudy.engines.nets.segments import Segments

COMPARE = """
import torch
from torch.func import grad, vmap
from understudy.engines.nets import segments as room, segment_triton
from understudy.engines.nets.segments import Segments

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise = torch.Generator(device).manual_seed(0)
parts = [Segments(sizes).to(device) for sizes in ([3, 1, 40, 2], [5, 2, 33, 1])]
wide = max(each.total for each in parts) + 3


def plain(each, logits, codes):
    return -each.at(each.log_softmax(logits[..., : each.total]), codes)


def fast(starts, counts, logits, codes):
    return segment_triton.cross_entropy(logits, codes, starts, counts, 64)


logits = 30 * torch.randn(2, 7, wide, device=device, generator=noise)
chances = torch.rand(2, 7, 4, device=device, generator=noise)
codes = torch.stack([(chance * each.counts).long() for chance, each in zip(chances, parts)])
weights = torch.randn(2, 7, 4, device=device, generator=noise)
starts, counts = (torch.stack([getattr(each, name) for each in parts]) for name in ("starts", "counts"))

inputs = [logits.clone().requires_grad_() for _ in range(3)]
expected = torch.stack([plain(each, inputs[0][k], codes[k]) for k, each in enumerate(parts)])
alone = torch.stack([fast(starts[k], counts[k], inputs[1][k], codes[k]) for k in range(2)])
beside = vmap(fast)(starts, counts, inputs[2], codes)
for found in (alone, beside):
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)
outs = (expected, alone, beside)
slopes = [torch.autograd.grad((out * weights).sum(), x)[0] for out, x in zip(outs, inputs)]
torch.testing.assert_close(slopes[1], slopes[0], rtol=1e-4, atol=1e-5)
torch.testing.assert_close(slopes[2], slopes[0], rtol=1e-4, atol=1e-5)
assert not slopes[1][..., max(each.total for each in parts):].any(), "spare places have no slope"

one = parts[0]
each_row = vmap(grad(lambda x, c: fast(one.starts, one.counts, x, c).sum()), (0, 0))(logits[0], codes[0])
last = logits[0].clone().requires_grad_()
(by_hand,) = torch.autograd.grad(plain(one, last, codes[0]).sum(), last)
torch.testing.assert_close(each_row, by_hand, rtol=1e-4, atol=1e-5)
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton comes with torch for a device")
def test_the_kernels_give_the_losses_and_slopes_of_plain_tensors():
    environment = dict(os.environ)
    if not torch.cuda.is_available():
        environment["TRITON_INTERPRET"] = "1"
    subprocess.run([sys.executable, "-c", COMPARE], check=True, env=environment)


def test_the_kernels_are_used_only_on_a_device(monkeypatch):
    monkeypatch.setattr(segment_triton, "cross_entropy", None)
    segments = Segments([2, 3])
    assert segments.cross_entropy(torch.zeros(4, 5), torch.zeros(4, 2, dtype=torch.int64)).shape == (4, 2)


def test_columns_of_no_levels_at_all_need_no_kernel(monkeypatch):
    monkeypatch.setattr(segments, "_kernels", lambda _: segment_triton)
    nothing, codes = torch.zeros(4, 0), torch.zeros(4, 0, dtype=torch.int64)
    assert Segments([]).cross_entropy(nothing, codes).shape == (4, 0)


def test_without_a_compiler_there_are_no_kernels(monkeypatch):
    monkeypatch.setattr(segments.shutil, "which", lambda _: None)
    monkeypatch.delenv("CC", raising=False)
    segments._can_build.cache_clear()
    assert not segments._can_build()
    segments._can_build.cache_clear()


def launched_slowly(kernel, tensors, widest):
    """Do what the kernels do, with tensors, place by place."""
    logits, codes, starts, counts, *rest = tensors
    for model, row, column in itertools.product(*map(range, codes.shape)):
        start = int(starts.expand(len(codes), -1)[model, column])
        count = int(counts.expand(len(codes), -1)[model, column])
        assert count <= widest
        values, code = logits[model, row, start : start + count], int(codes[model, row, column])
        if kernel is segment_triton._lose:
            losses, logs = rest
            logs[model, row, column] = values.logsumexp(0)
            losses[model, row, column] = logs[model, row, column] - values[code]
        else:
            logs, grads, out = rest
            slope = (values - logs[model, row, column]).exp()
            slope[code] -= 1.0
            out[model, row, start : start + count] = slope * grads[model, row, column]


def test_what_stands_around_the_kernels_hands_them_the_right_places(monkeypatch):
    monkeypatch.setattr(segment_triton, "_launch", launched_slowly)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    exec(compile(COMPARE, "compare", "exec"), {})
