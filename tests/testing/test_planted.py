import pytest

from testing.planted import FLAWS, PLANTS, Loose, Planted, Thawed, caught
from testing.planted_private import PRIVATE_PLANTS, PlantedPrivate
from understudy.testing import checks

OTHERWISE = {
    "a_recipe_is_a_frozen_dataclass_with_declared_ranges": Thawed(),
    "settings_outside_their_ranges_are_refused": Loose(),
} | {name: PlantedPrivate(flaw=flaws[0]) for name, flaws in PRIVATE_PLANTS.items()}


def plant_for(name):
    if name.startswith("a_table_with_"):
        return Planted(flaw="falls_over")
    return OTHERWISE[name] if name in OTHERWISE else Planted(flaw=PLANTS[name])


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
def test_a_planted_flaw_is_caught_by_the_check_that_is_for_it(check):
    assert caught(check, plant_for(check.__name__))


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
def test_an_honest_recipe_passes(check):
    check(Planted())


def test_no_plant_is_for_a_check_that_is_not_there():
    assert {*PLANTS, *OTHERWISE} <= {check.__name__ for check in checks()}


def test_every_flaw_is_used():
    assert {*PLANTS.values(), "falls_over", "honest"} == set(FLAWS)
