"""Conditions say exactly which entries satisfy them, missing ones included."""

from __future__ import annotations

import numpy as np

from understudy.engines.condition import Among, Between, IsMissing, accepted
from understudy.missing import MISSING_STEP


def test_levels_and_missing_have_a_place_each():
    codes = np.array([0, 1, 2, -1], dtype=np.int32)
    assert Among(np.array([True, False, True, False])).accepts(codes).tolist() == [True, False, True, False]
    assert Among(np.array([False, False, False, True])).accepts(codes).tolist() == [False, False, False, True]


def test_a_range_includes_both_ends_and_never_a_missing_entry():
    assert Between(1, 3).accepts(np.array([0, 1, 3, 4, MISSING_STEP])).tolist() == [0, 1, 1, 0, 0]
    assert Between(-np.inf, np.inf).accepts(np.array([0.0, np.nan])).tolist() == [True, False]
    assert Between(-(2**63), 2**63).accepts(np.array([0, MISSING_STEP])).tolist() == [True, False]


def test_a_range_of_whole_steps_is_exact_beyond_what_a_float_holds():
    first = 2**53
    assert Between(first + 1, first + 1).accepts(first + np.arange(3)).tolist() == [False, True, False]


def test_missing_can_be_asked_for():
    assert IsMissing().accepts(np.array([1, MISSING_STEP])).tolist() == [False, True]
    assert IsMissing().accepts(np.array([1.0, np.nan])).tolist() == [False, True]


def test_a_row_is_accepted_when_all_conditions_hold():
    columns = {"a": np.array([1, 2, 3]), "b": np.array([0.5, np.nan, 0.7])}
    assert accepted(columns, {"a": Between(2, 9), "b": Between(0, 1)}, 3).tolist() == [False, False, True]
    assert accepted(columns, {}, 3).tolist() == [True, True, True]
