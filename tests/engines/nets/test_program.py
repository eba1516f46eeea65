"""Programs: what they compute is what the function computes, to the bit, and where none is made it stays."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets import program as programs
from understudy.engines.nets.program import program
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.engines.nets.vae_part import part_of, put_part

FIELDS = Fields((0,), (1, 2), (3, 2))


def doubled(rows: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        rows = rows * 2
    return rows


def test_a_function_is_made_a_program_once():
    made = program(doubled)
    assert made is program(doubled)
    assert isinstance(made, torch.jit.ScriptFunction)
    assert made(torch.ones(2), 3).tolist() == [8.0, 8.0]


def test_where_none_can_be_made_a_function_stays_what_it_is(monkeypatch):
    monkeypatch.setattr(programs, "_NO_LONGER", sys.version_info[:2])
    program.cache_clear()
    try:
        assert program(doubled) is doubled
    finally:
        program.cache_clear()


def test_without_its_source_a_function_stays_what_it_is():
    found = {"Tensor": torch.Tensor, "__name__": "packed"}
    exec("def twice(rows: Tensor) -> Tensor:\n    return rows * 2\n", found)
    assert program(found["twice"]) is found["twice"]


@pytest.mark.parametrize("silu", [True, False])
@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("spread", ["row", "column"])
def test_an_autoencoders_derivatives_are_the_same_to_the_bit(silu, bounded, spread):
    size = VaeSize(3, 8, 2, "silu" if silu else "relu", spread, bounded, "random")
    model, rng = Vae(FIELDS, size, torch.Generator().manual_seed(0)), np.random.default_rng(1)
    codes = [rng.integers(0, size, 50) for size in FIELDS.sizes]
    rows = torch.tensor(np.column_stack([rng.normal(size=50), *codes]), dtype=torch.float32)
    drawn = torch.randn(50, 3, generator=torch.Generator().manual_seed(2))
    weights = [parameter.detach() for parameter in model.parameters()]
    found = []
    for put in (put_part, program(put_part)):
        grads = [torch.full_like(weight, torch.nan) for weight in weights]
        part = part_of(model, weights, grads, 50, 0.7)
        with torch.no_grad():
            for _ in range(4):  # a program is made quicker after it has run for the first time
                put(part, rows, drawn, 1 / 50)
        found.append(grads)
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_making_one_neither_warns_nor_loads_torchs_compiler():
    told = (
        "import sys; from understudy.engines.nets.vae_part import put_part; "
        "from understudy.engines.nets.program import program; program(put_part); "
        "print('torch._inductor' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", told], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
