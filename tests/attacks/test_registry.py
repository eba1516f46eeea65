"""The folder is the registry; the front door tries what is asked for, and nothing else."""

import math
import subprocess
import sys
from dataclasses import fields

import pytest

import understudy as us
from attacks.shadows_seen import recorded
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


def _again():
    """The attacks that train the synthesizer again; the audit of epsilon has a budget of its own."""
    named = {name: {field.name for field in fields(attacks.get(name))} for name in attacks.names()}
    return [name for name, told in named.items() if "recipe" in told and name != "epsilon_audit"]


@pytest.mark.parametrize("recipe", ["histogram", "mst"])
@pytest.mark.parametrize("name", _again())
def test_whoever_trains_the_synthesizer_again_can_do_so_within_a_budget(name, recipe):
    few = {"targets": 4, "trees": 5} if "groundhog" in name or name == "vmia" else {}
    told = {"recipe": recipe, "models": 4, "budget": '{"epsilon": 1, "delta": 1e-6}', **few}
    found = attacks.get(name)(**told)(recorded(40))
    assert math.isfinite(found.value)
    assert [note for note in found.notes if "within a budget of epsilon 1 at delta 1e-06" in note]


@pytest.mark.parametrize("name", _again())
def test_within_a_budget_a_recipe_without_a_private_form_is_not_trained_and_that_is_said(name):
    found = attacks.get(name)(recipe="copy", models=4, budget='{"epsilon": 1}')(recorded(40))
    assert any("copy: this recipe has no private form" in note for note in found.notes)
    assert not any("within a budget of" in note for note in found.notes)
    assert math.isnan(found.value) or found.parts["coverage"] == 0.6  # three attacks of `mia` train nothing
    with pytest.raises(ParameterError, match=rf"privacy.{name}: budget must be"):
        attacks.get(name)(recipe="copy", models=4, budget='{"epsilon": 0}')(recorded(40))


def test_importing_every_attack_loads_nothing_slow():
    code = "import sys, understudy as us; us.attacks.at('full'); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "sklearn", "pandas", "xgboost"} & set(done.stdout.split())
