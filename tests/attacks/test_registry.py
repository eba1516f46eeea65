"""The folder is the registry; the front door tries what is asked for, and nothing else."""

import subprocess
import sys

import pytest

import understudy as us
from attacks.tried import laws
from understudy import attacks
from understudy.errors import ParameterError
from understudy.measuring.measure import Measure


@pytest.mark.parametrize("name", attacks.names())
def test_every_file_defines_one_final_attack_that_says_what_it_does(name):
    attack = attacks.get(name)
    assert issubclass(attack, Measure)
    assert getattr(attack, "__final__", False)
    assert attack.title() == f"privacy.{name}"
    assert attack.summary().endswith((".", "?"))
    assert getattr(attacks, name).__name__ == f"understudy.attacks.{name}"


def test_an_unknown_name_is_answered_with_those_that_exist():
    with pytest.raises(ParameterError, match=r"there is no attack 'nobody'; choose from .*dpi"):
        attacks.get("nobody")
    with pytest.raises(AttributeError, match="nobody"):
        attacks.nobody  # noqa: B018


def test_named_attacks_run_sorted_and_give_what_each_gives_alone():
    shown = laws("half", rows=60)
    results = us.attacks.run(shown, "quick", 3, ["mc", "dcr", "gan_leaks"], workers=0, progress=False)
    assert [result.name for result in results] == ["privacy.dcr", "privacy.gan_leaks", "privacy.mc"]
    for result, name in zip(results, ("dcr", "gan_leaks", "mc"), strict=True):
        assert result.value == attacks.get(name)()(shown, seed=3).value


def test_workers_say_the_same():
    shown = laws("half", rows=60)
    names = ["gan_leaks", "mc", "nndr"]
    alone, together = (
        us.attacks.run(shown, seed=3, names=names, workers=workers, progress=False) for workers in (0, 2)
    )
    assert [repr({**r.to_dict(), "seconds": 0}) for r in alone] == [
        repr({**r.to_dict(), "seconds": 0}) for r in together
    ]


def test_a_forecast_names_every_attack_of_the_level():
    assert list(us.attacks.forecast(laws("half", rows=60), "quick")) == attacks.at("quick")


def test_importing_every_attack_loads_nothing_slow():
    code = "import sys, understudy as us; us.attacks.at('full'); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "sklearn", "pandas", "xgboost"} & set(done.stdout.split())
