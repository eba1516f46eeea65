import dataclasses

from testing.planted import Loose, Planted, Thawed, caught
from understudy.check import Choice, Flag, Integer, Number, Text
from understudy.testing import settings


def test_a_recipe_that_can_be_changed_is_caught():
    assert "frozen=True" in caught(settings.a_recipe_is_a_frozen_dataclass_with_declared_ranges, Thawed())


def test_a_setting_without_a_range_is_caught():
    @dataclasses.dataclass(frozen=True)
    class Undeclared(Thawed.__mro__[1]):
        """A recipe with a bare field."""

        depth: int = 3

        def __post_init__(self):
            return

        def learn(self, vault, schema, rng, progress):
            raise AssertionError((vault, schema, rng, progress))

    message = caught(settings.a_recipe_is_a_frozen_dataclass_with_declared_ranges, Undeclared())
    assert "setting 'depth' has no declared range" in message


def test_a_recipe_that_never_looks_at_its_ranges_is_caught_at_the_first_value():
    message = caught(settings.settings_outside_their_ranges_are_refused, Loose())
    assert message == "knots=0: expected ParameterError; it was accepted"


def test_forgotten_settings_are_caught():
    message = caught(settings.the_model_remembers_its_settings, Planted(flaw="forgets_its_settings"))
    assert "does not carry the settings" in message


def test_every_value_tried_lies_outside_its_rule():
    for rule in (Integer(1, 9), Number(0.0, 1.0), Choice(("a", "b")), Flag(), Text()):
        tried = settings.outside(rule)
        assert len(tried) >= 4
        assert not any(rule.accepts(value) for value in tried)
