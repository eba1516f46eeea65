"""TabDiff as a recipe: its presets, and what a budget changes."""

import pytest

from understudy.synth.tabdiff import TabDiff


def test_the_paper_is_wide_and_has_no_levels_of_numbers():
    paper = TabDiff.paper()
    assert (paper.width, paper.batch, paper.few) == (1_024, 4_096, 0)


def test_under_a_budget_every_record_has_a_time_of_its_own():
    pytest.importorskip("torch")
    # Gradients are taken per record by what enters each layer: what records share would be no one's.
    assert TabDiff(draws=1).method(noisy=True).learner.together == 1
    assert TabDiff().method(noisy=False).learner.together > 1
