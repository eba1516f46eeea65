"""TabDiff as a recipe: its presets."""

from understudy.synth.tabdiff import TabDiff


def test_the_paper_is_wide_and_has_no_levels_of_numbers():
    paper = TabDiff.paper()
    assert (paper.width, paper.batch, paper.few) == (1_024, 4_096, 0)
