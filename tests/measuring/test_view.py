"""What an adversary sees: nothing of the training rows, and the same in every order."""

import numpy as np
import pandas as pd
import pytest

from understudy.measuring.view import look
from understudy.table.evidence import Evidence

SYNTHETIC = pd.DataFrame({"x": [4.5, 0.5, 2.5], "y": ["b", "a", "b"]})
REFERENCE = pd.DataFrame({"x": [10.5, 20.5, 30.5, 30.5], "y": ["a", "a", "b", "a"]})


def evidence(train_x=(1.5, 2.5), synthetic=SYNTHETIC, reference=REFERENCE):
    train = pd.DataFrame({"x": train_x, "y": ["a", "b"]})
    return Evidence(train=train, synthetic=synthetic, reference=reference)


def test_ranges_are_those_of_the_rows_that_are_seen():
    own, real = (look(evidence(), sees) for sees in (("synthetic",), ("synthetic", "reference")))
    assert (own.domain[0].low, own.domain[0].high) == (0.5, 4.5)
    assert (real.domain[0].low, real.domain[0].high) == (10.5, 30.5)


def test_the_training_rows_change_nothing_that_is_seen():
    near, far = evidence(), evidence(train_x=(1.5, 9e5))
    matrices = [
        look(e, ("synthetic",)).matrix(look(e, ("synthetic",)).table("synthetic")) for e in (near, far)
    ]
    assert np.array_equal(*matrices)


def test_the_order_of_the_seen_rows_does_not_matter():
    views = [look(evidence(synthetic=table), ("synthetic",)) for table in (SYNTHETIC, SYNTHETIC[::-1])]
    assert np.array_equal(*(view.matrix(view.table("synthetic")) for view in views))


def test_the_nearest_rows_of_targets_are_found_in_their_order_and_only_once():
    shown = evidence()
    targets = shown.coded("train")
    view = look(shown, ("synthetic",))
    found = view.nearest(targets, "synthetic", "range")
    assert found.distances[:, 0] == pytest.approx([0.25, 0.0])
    assert look(shown, ("synthetic",)).nearest(targets, "synthetic", "range").rows is found.rows


def test_other_targets_and_other_tables_are_other_searches():
    shown = evidence()
    targets = shown.coded("train")
    view = look(shown, ("synthetic", "reference"))
    first, second = (view.nearest(targets, role).distances for role in ("synthetic", "reference"))
    turned = view.nearest(targets.take(np.array([1, 0])), "synthetic").distances
    assert not np.array_equal(first, second)
    assert np.array_equal(turned, first[::-1])


def test_a_table_of_few_rows_gives_as_many_neighbours_as_it_has():
    shown = evidence()
    assert look(shown, ("synthetic",)).nearest(shown.coded("train"), "synthetic", k=9).rows.shape == (2, 3)
