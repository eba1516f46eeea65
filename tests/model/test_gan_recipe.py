"""What recipes of adversarial networks share: epochs, packs of rows, and the game of a budget."""

from dataclasses import replace

import pytest

from contract.quick_networks import halves
from understudy.errors import ParameterError
from understudy.synth.ctgan import CTGAN

pytest.importorskip("torch")

SMALL = CTGAN.small()


def test_epochs_take_the_place_of_steps(monkeypatch):
    from understudy.engines.training import openly

    counted = []
    run = openly.run
    monkeypatch.setattr(openly, "run", lambda steps, *more: (counted.append(steps.stop), run(steps, *more)))
    replace(SMALL, epochs=3, batch=60).fit(halves(150), progress=False)
    replace(SMALL, epochs=2, batch=60).fit(halves(20), progress=False)
    replace(SMALL, steps=5).fit(halves(150), progress=False)
    assert counted == [6, 2, 5], "an epoch has as many steps as whole batches, and at least one"


def test_a_batch_is_a_number_of_packs():
    with pytest.raises(ParameterError, match="multiple of pac"):
        CTGAN(batch=100, pac=7)


def test_a_norm_over_one_row_is_refused_and_one_within_it_is_not():
    with pytest.raises(ParameterError, match="larger batch"):
        CTGAN(batch=1, norm="batch")
    assert CTGAN(batch=1, norm="layer").batch == 1


def test_within_a_budget_no_record_reaches_another():
    rules = CTGAN(norm="batch", pac=10, dropout=0.5, penalty=10.0, asked="logs").rules(noisy=True)
    assert (rules.loss, rules.penalty, rules.logs, rules.bounded) == ("logistic", 0.0, False, False)
    assert (rules.size.norm, rules.size.pac, rules.size.dropout) == ("layer", 1, 0.0)
    assert CTGAN(norm="none").rules(noisy=True).size.norm == "none"
    assert SMALL.stages() == {"critic": 1.0}
