"""Training: here or in processes, once for all, and on from where it stopped."""

import numpy as np
import pytest

from engines.shadows.toys import Echo, Refusing, Team
from understudy.engines.shadows.plan import Plan
from understudy.engines.shadows.training import opened, train
from understudy.errors import ParameterError, UnderstudyError

PLAN = Plan.of(12, 4, 2, 5)


def rows_of(shadows):
    return [columns["place"].tolist() for columns in shadows.columns]


def test_processes_draw_what_this_one_draws(tmp_path):
    here = train(Echo(), PLAN, tmp_path / "here")
    apart = train(Echo(), PLAN, tmp_path / "apart", workers=2)
    assert rows_of(here) == rows_of(apart)
    assert (apart.inside == PLAN.inside).all() and apart.sets == 2


def test_what_was_trained_before_is_not_trained_again(tmp_path):
    log = tmp_path / "log"
    first = train(Echo(str(log)), PLAN, tmp_path / "kept")
    (tmp_path / "kept" / "model-2.safetensors").unlink()
    again = train(Echo(str(log)), PLAN, tmp_path / "kept")
    trained = [int(line) for line in log.read_text().split()]
    assert trained == [PLAN.seeds(model)[0] for model in (0, 1, 2, 3, 2)]
    assert rows_of(first) == rows_of(again)


def test_a_folder_of_another_plan_is_refused(tmp_path):
    train(Echo(), PLAN, tmp_path)
    for other in (Plan.of(12, 4, 2, 6), Plan.of(12, 4, 3, 5), Plan.of(12, 6, 2, 5)):
        with pytest.raises(ParameterError, match="another plan"):
            train(Echo(), other, tmp_path)


def test_an_error_of_ours_crosses_from_a_process(tmp_path):
    with pytest.raises(UnderstudyError, match="toy: it refuses"):
        train(Refusing(), PLAN, tmp_path, workers=2)


def test_a_process_that_dies_is_told_by_its_code(tmp_path):
    # An error of the system: its text might quote anything, and is not passed on.
    with pytest.raises(UnderstudyError, match="ended with code 1"):
        train(Echo(log=str(tmp_path / "no" / "such" / "folder")), PLAN, tmp_path / "kept", workers=1)


def test_a_make_that_no_other_process_can_find_is_refused(tmp_path):
    def make(rows, _):
        return lambda size, _: {"place": rows[:size]}

    with pytest.raises(ParameterError, match="try workers=0"):
        train(make, PLAN, tmp_path, workers=1)
    assert len(train(make, PLAN, tmp_path).columns) == 4


def test_a_folder_says_what_it_is_for(tmp_path):
    seed = 2**100
    plan = Plan.of(6, 2, 1, seed)
    train(Echo(str(tmp_path / "log")), plan, tmp_path / "kept", workers=1)
    make, found = opened(tmp_path / "kept")
    assert make == Echo(str(tmp_path / "log"))
    assert found.seed == seed and np.array_equal(found.inside, plan.inside)


@pytest.mark.parametrize("workers", [0, 2])
def test_what_can_be_learned_at_once_is_and_then_drawn_here_or_in_processes(tmp_path, workers):
    found = train(Team(str(tmp_path)), PLAN, tmp_path / "kept", workers=workers)
    assert (tmp_path / "log").read_text().split() == ["4"]
    assert rows_of(found) == rows_of(train(Echo(), PLAN, tmp_path / "alone"))


def test_only_models_that_are_lacking_are_learned_at_once(tmp_path):
    for _ in range(2):
        train(Team(str(tmp_path)), PLAN, tmp_path / "kept")
    (tmp_path / "kept" / "model-2.safetensors").unlink()
    train(Team(str(tmp_path)), PLAN, tmp_path / "kept")
    assert (tmp_path / "log").read_text().split() == ["4", "1"]


def test_where_it_is_no_quicker_models_are_made_one_by_one(tmp_path):
    found = train(Team(str(tmp_path), quicker=False), PLAN, tmp_path / "kept")
    assert rows_of(found) == rows_of(train(Echo(), PLAN, tmp_path / "alone"))
