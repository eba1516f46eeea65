import subprocess
import sys

import pytest
import torch
from torch import nn

from understudy.engines.nets.undrawn import Undrawn


@pytest.mark.parametrize("made", [lambda: nn.Linear(3, 2), lambda: nn.Embedding(3, 2)])
def test_a_layer_is_made_of_its_own_type_and_nothing_is_drawn(made):
    before = torch.get_rng_state()
    with Undrawn():
        layer = made()
    assert torch.equal(torch.get_rng_state(), before)
    assert type(layer) in (nn.Linear, nn.Embedding)
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in layer.parameters())


def test_outside_of_it_layers_are_drawn_as_ever():
    with Undrawn():
        nn.Linear(3, 2)
    before = torch.get_rng_state()
    nn.Linear(3, 2)
    assert not torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", ["ctgan", "findiff", "nflow", "tabddpm", "tvae"])
def test_a_fit_of_a_network_loads_no_compiler(name):
    code = (
        "import sys, numpy as np, understudy as us\n"
        "table = {'a': np.arange(40.0), 'b': np.array(['x', 'y'] * 20)}\n"
        "import pandas as pd\n"
        f"us.synth.get('{name}').small().fit(pd.DataFrame(table), seed=0, progress=False).sample(5)\n"
        "print([name for name in ('torch._dynamo', 'sympy') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
