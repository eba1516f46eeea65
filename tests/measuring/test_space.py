"""A space in which densities exist: constant columns and full one-hot blocks are left out of it."""

import numpy as np
import pandas as pd

from understudy.measuring.space import Space
from understudy.measuring.view import look
from understudy.table.evidence import Evidence


def view_of(rows):
    shown = Evidence(train=rows[:3], synthetic=rows[5:], reference=rows[3:])
    return look(shown, ("synthetic", "reference"))


def table(rows=40):
    rng = np.random.default_rng(0)
    cells = {"x": rng.normal(size=rows), "same": np.full(rows, 2.5), "kind": rng.choice(list("abc"), rows)}
    return pd.DataFrame(cells)


def test_three_levels_and_a_quantity_span_three_dimensions():
    view = view_of(table())
    space = Space.of(view, most=10)
    found = space(view.table("reference"))
    assert found.shape == (37, 3)
    assert np.linalg.matrix_rank(np.cov(found, rowvar=False)) == 3
    assert space.scale == np.var(found, axis=0).max()


def test_no_more_axes_are_kept_than_asked_for():
    view = view_of(table())
    assert Space.of(view, most=2)(view.table("synthetic")).shape == (35, 2)


def test_rows_that_do_not_vary_have_a_space_of_no_dimension():
    same = pd.DataFrame({"x": np.full(9, 1.5)})
    shown = Evidence(train=pd.DataFrame({"x": [1.5, 2.5]}), synthetic=same, reference=same[:5])
    view = look(shown, ("synthetic", "reference"))
    space = Space.of(view, most=4)
    assert space(view.table("synthetic")).shape == (9, 0)
    assert space.scale == 1.0
