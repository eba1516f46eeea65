"""Copy to tests/synth/test_<name>.py.

The contract suite already tests what every synthesizer must do. Test here only what is particular to
the method: a property from its paper, an edge it handles, the price it writes into the ledger.
"""

from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest

from understudy.errors import ParameterError

# The test of NAME.py is test_NAME.py, so the copy finds its synthesizer whatever both are called.
module = import_module(f"understudy.synth.{Path(__file__).stem.removeprefix('test_')}")
MyMethod = getattr(module, module.__all__[0])

TABLE = pa.table({"age": [31, 42, None, 64] * 25, "sex": ["F", "M", "F", None] * 25})


def test_every_value_comes_from_the_column_itself():
    fake = MyMethod().fit(TABLE, seed=0).sample(200, seed=1)
    assert set(fake["age"].to_pylist()) <= {31, 42, None, 64}
    assert fake.num_rows == 200


def test_the_same_seed_gives_the_same_rows():
    model = MyMethod(pool=50).fit(TABLE, seed=0)
    assert model.sample(20, seed=1).equals(model.sample(20, seed=1))
    assert not model.sample(20, seed=1).equals(model.sample(20, seed=2))


def test_the_ledger_says_that_the_vault_was_opened():
    certificate = MyMethod().fit(TABLE, seed=0).certificate
    assert certificate.status == "none"
    assert "a pool of values of every column" in [entry.what for entry in certificate.entries]


def test_a_pool_without_values_is_refused():
    with pytest.raises(ParameterError, match="pool must be a whole number from 1"):
        MyMethod(pool=0)
