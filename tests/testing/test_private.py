"""The checks of private fits, tried on recipes that break one promise each."""

import pytest

from testing.planted import Planted, caught
from testing.planted_private import PRIVATE_FLAWS, PRIVATE_PLANTS, PlantedPrivate
from understudy.testing import private

PAIRS = [(name, flaw) for name, flaws in PRIVATE_PLANTS.items() for flaw in flaws]
SAID = {
    "reads_once_more_than_reserved": "reserved for less than it now asks for",
    "opens_the_vault": "not sound",
    "reads_again_if_rows_are_even": " reads became ",
    "asks_for_what_the_rows_hold": "asks something else",
    "understates_its_sensitivity": "moved by 2; at most 1 is declared",
    "takes_a_chance": "takes a larger delta than was set aside",
    "buys_what_is_declared": "'something more'",
    "keeps_the_number_of_rows": "is another, though every release is the same",
}


@pytest.mark.parametrize(("name", "flaw"), PAIRS)
def test_every_flaw_of_a_private_recipe_is_caught_by_the_check_that_is_for_it(name, flaw):
    message = caught(getattr(private, name), PlantedPrivate(flaw=flaw))
    assert SAID.get(flaw, "with ") in message


@pytest.mark.parametrize("check", private.CHECKS, ids=lambda check: check.__name__)
def test_an_honest_private_recipe_passes(check):
    check(PlantedPrivate())


@pytest.mark.parametrize("check", private.CHECKS, ids=lambda check: check.__name__)
def test_a_recipe_without_a_private_form_has_nothing_to_show(check):
    check(Planted())


def test_every_check_has_a_plant_and_every_plant_a_check():
    assert set(PRIVATE_PLANTS) == {check.__name__ for check in private.CHECKS}
    assert {flaw for flaws in PRIVATE_PLANTS.values() for flaw in flaws} | {"honest"} == set(PRIVATE_FLAWS)
