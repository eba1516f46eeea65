"""Copy to tests/attacks/test_<name>.py. Show the attack a table it must break and one it must not."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from understudy.errors import ParameterError
from understudy.table.table import Table

# The test of NAME.py is test_NAME.py, so the copy finds its attack whatever both are called.
module = import_module(f"understudy.attacks.{Path(__file__).stem.removeprefix('test_')}")
MyAttack = getattr(module, module.__all__[0])

TRAIN = Table(pa.table({"age": list(range(100))}))
HOLDOUT = Table(pa.table({"age": list(range(100, 200))}))
OTHER = Table(pa.table({"age": list(range(200, 300))}))


def attack(synthetic):
    return MyAttack(repeats=50)(SimpleNamespace(train=TRAIN, holdout=HOLDOUT, synthetic=synthetic), seed=0)


def test_a_copy_of_the_training_table_is_broken_completely():
    result = attack(TRAIN)
    assert result.value == 1.0
    assert result.parts == {"auroc": 1.0, "tpr_at_fpr_0.01": 1.0, "tpr_at_fpr_0.001": 1.0, "advantage": 1.0}


def test_unrelated_rows_leave_the_attack_at_chance():
    result = attack(OTHER)
    assert result.value == result.null == 0.5
    assert result.parts["advantage"] == 0


def test_too_few_repeats_are_refused():
    with pytest.raises(ParameterError, match="repeats must be a whole number from 20"):
        MyAttack(repeats=0)
