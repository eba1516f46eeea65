import pytest
import torch

from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.engines.training.cutting import CutOffError, cut_off

WEIGHTS = {"w": torch.ones(2)}


def keeper(folder):
    return Keeper(folder, "stage", "identity", lambda _: None)


def test_a_training_dies_at_its_first_checkpoint_and_leaves_it(tmp_path):
    with cut_off():
        assert keeper(tmp_path).due
        with pytest.raises(CutOffError, match="after 64 steps"):
            keeper(tmp_path).save(Checkpoint(64, finished=False, tensors=WEIGHTS))
    found = keeper(tmp_path).found()
    assert (found.step, found.finished) == (64, False)


def test_a_training_that_is_at_its_end_or_keeps_nothing_goes_on(tmp_path):
    with cut_off():
        assert not keeper(None).due
        keeper(tmp_path).save(Checkpoint(65, finished=True, tensors=WEIGHTS))
    assert keeper(tmp_path).found().finished


def test_afterwards_trainings_are_cut_off_no_more(tmp_path):
    with cut_off():
        pass
    assert not keeper(tmp_path).due
    keeper(tmp_path).save(Checkpoint(64, finished=False, tensors=WEIGHTS))
