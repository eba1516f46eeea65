"""A learner is abstract: it says what it trains, and how."""

import pytest

from understudy.engines.learner import Learner


def test_a_learner_without_stages_and_a_way_to_learn_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        Learner()  # type: ignore[abstract]
