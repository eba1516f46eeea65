"""Copy to tests/attacks/test_<name>.py. Show the attack a table it must break and one it must not."""

from importlib import import_module
from pathlib import Path

import pytest

from understudy.errors import ParameterError
from understudy.table.evidence import Evidence
from understudy.testing.judging import law

# The test of NAME.py is test_NAME.py, so the copy finds its attack whatever both are called.
module = import_module(f"understudy.attacks.{Path(__file__).stem.removeprefix('test_')}")
MyAttack = getattr(module, module.__all__[0])


def attack(synthetic, **settings):
    shown = Evidence(train=law(200, 0), holdout=law(200, 1), reference=law(200, 2), synthetic=synthetic)
    return MyAttack(**settings)(shown, seed=0)


def test_a_copy_of_the_training_table_is_broken():
    result = attack(law(200, 0), k=1)
    assert result.value > 0.95
    assert result.parts["tpr_at_fpr_0.01"] > 0.5


def test_a_fresh_table_leaves_the_attack_at_chance():
    result = attack(law(200, 3))
    assert result.low <= result.null == 0.5 <= result.high


def test_no_neighbours_at_all_are_refused():
    with pytest.raises(ParameterError, match="k must be a whole number from 1"):
        MyAttack(k=0)
