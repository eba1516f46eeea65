"""Every option of `federate` says in one short line what it is."""

from typing import get_args

import pytest

from understudy.cli import federate_options
from understudy.federated.recipes import federating


@pytest.mark.parametrize("name", federate_options.__all__)
def test_every_option_has_one_line_of_help(name):
    option = get_args(getattr(federate_options, name))[-1]
    assert option.help and option.help.endswith(".") and "\n" not in option.help
    assert len(option.help) <= 100
    assert option.metavar or name in ("WithoutBudget", "RowsArePublic")


def test_the_help_of_the_method_names_all_that_federate():
    option = get_args(federate_options.Method)[-1]
    named = option.help.removeprefix("One of ").removesuffix(".").split(", ")
    assert sorted(named) == sorted(federating())
