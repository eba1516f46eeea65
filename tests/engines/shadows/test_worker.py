"""A process that trains some of the models."""

import json
import subprocess
import sys

from engines.shadows.toys import Echo, Refusing
from understudy.engines.shadows.models import kept
from understudy.engines.shadows.plan import Plan
from understudy.engines.shadows.training import FAILED, MAKE, MODULE, _claim, _named
from understudy.engines.shadows.worker import main

PLAN = Plan.of(12, 4, 2, 5)


def prepared(make, folder):
    _claim(folder, PLAN)
    (folder / MAKE).write_text(json.dumps(_named(make)))
    return folder


def test_it_trains_the_models_that_it_is_told_to(tmp_path):
    assert main(prepared(Echo(), tmp_path), [1, 3]) == 0
    assert [kept(tmp_path, PLAN, model) is not None for model in range(4)] == [False, True, False, True]


def test_an_error_of_ours_is_left_in_the_folder(tmp_path):
    assert main(prepared(Refusing("toy: no."), tmp_path), [0]) == 1
    assert json.loads((tmp_path / FAILED).read_text()) == "toy: no."


def test_it_ends_when_nobody_waits_for_it_any_more(tmp_path):
    command = [sys.executable, "-m", MODULE, str(tmp_path / "nothing"), "0"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.returncode != 0
