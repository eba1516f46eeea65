"""A result always has an interval, a null and a direction, and turns into plain values."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

from hostile_texts import HOSTILE, tags
from understudy.errors import ParameterError
from understudy.result import Result


def made(**changes):
    plain = {"name": "fidelity.toy", "value": 0.1, "low": 0.0, "high": 0.2, "null": 0.05, "better": "lower"}
    return Result(**{**plain, "saw_real_rows": True, **changes})


def test_an_interval_that_is_upside_down_is_refused():
    with pytest.raises(ParameterError, match=r"^fidelity\.toy: the interval is upside down"):
        made(low=0.3, high=0.2)


def test_an_interval_of_one_point_is_allowed():
    assert made(low=0.1, high=0.1).low == 0.1


def test_a_result_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        made().value = 1.0


def test_plain_values_go_through_json_without_scores_of_single_rows():
    result = made(parts={"auroc": 0.5}, per_record=(0.1, 0.9), n=2, seconds=0.5, notes=("small",))
    tree = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert "per_record" not in tree
    assert tree["parts"] == {"auroc": 0.5}
    assert tree["notes"] == ["small"]
    assert {"name", "value", "low", "high", "null", "better", "saw_real_rows", "n", "seconds"} <= set(tree)


def test_what_is_undefined_or_infinite_is_null_in_json_also_among_the_parts():
    result = made(
        value=math.nan, low=-math.inf, high=math.inf, null=math.nan, parts={"a": math.nan, "b": 1.0}
    )
    tree = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert [tree[key] for key in ("value", "low", "high", "null")] == [None] * 4
    assert tree["parts"] == {"a": None, "b": 1.0}


def test_two_results_do_not_share_their_parts():
    one, two = made(), made()
    one.parts["x"] = 1.0
    assert two.parts == {}


def test_a_notebook_shows_value_interval_null_direction_and_a_bar():
    html = made(per_record=(0.123456,), n=987_654)._repr_html_()
    for text in ("fidelity.toy", "0.1", "0 to 0.2", "0.05", "lower", "<svg"):
        assert text in html
    assert "0.123456" not in html and "987" not in html


def test_a_notebook_says_what_was_not_measured_and_draws_nothing():
    html = made(value=math.nan, low=math.nan, high=math.nan)._repr_html_()
    assert "not measured" in html and "<svg" not in html


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_name_adds_no_element_to_a_notebook(word):
    assert tags(made(name=word)._repr_html_()) == tags(made()._repr_html_())
