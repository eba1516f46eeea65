"""What commands that judge share: refusals by name, the exit code, the list."""

import json

import pytest
import typer

from understudy.attacks.dpi import DPI
from understudy.cli.judged import UNCOVERED
from understudy.cli.measured import refuse_half, refuse_strays, show_list, show_results
from understudy.errors import InputError
from understudy.metrics.missingness import Missingness
from understudy.result import Result


def result(value):
    return Result("privacy.toy", value, value, value, null=0.5, better="lower", saw_real_rows=True)


def test_one_table_without_the_other_is_refused_in_the_name_of_the_command():
    assert refuse_half("metrics", "a.csv", "b.csv") == ("a.csv", "b.csv")
    with pytest.raises(InputError, match="attacks: --train and --synthetic belong together"):
        refuse_half("attacks", "a.csv", None)


def test_options_that_mean_nothing_are_refused_also_if_they_are_nought():
    refuse_strays("metrics", {"--seed": None})
    with pytest.raises(InputError, match="metrics: --seed belongs to"):
        refuse_strays("metrics", {"--level": None, "--seed": 0})


def test_the_exit_code_is_one_only_if_nothing_is_a_number(capsys):
    show_results([result(0.5), result(float("nan"))], "attack", 1.0, as_json=False)
    assert "2 attacks in" in capsys.readouterr().out
    with pytest.raises(typer.Exit) as stop:
        show_results([result(float("nan"))], "attack", 1.0, as_json=True)
    assert stop.value.exit_code == 1


def test_json_says_that_no_certificate_covers_figures_of_private_rows(capsys):
    show_results([result(0.5)], "attack", 1.0, as_json=True)
    assert json.loads(capsys.readouterr().out)["private"] == UNCOVERED


def test_only_adversaries_say_what_they_see(capsys):
    show_list("all", {"dpi": DPI, "missingness": Missingness}, ("name", "what"), as_json=True)
    shown = capsys.readouterr().out
    assert shown.count('"sees"') == 1
