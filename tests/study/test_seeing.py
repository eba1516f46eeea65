"""Roles: taken as they are given, made where they are missing, and said where they were made."""

import pyarrow as pa
import pytest

from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian
from understudy.study.policy import default_policy
from understudy.study.request import Given, Real, Request
from understudy.study.seeing import look
from understudy.synth.copy import Copy
from understudy.synth.mst import MST
from understudy.table.table import Table


def numbers(size, start=0.0):
    return Table(pa.table({"x": [start + n for n in range(size)], "y": ["a", "b"] * (size // 2)}))


def request(**more):
    return Request("quick", 0, default_policy(), progress=False, **more)


def sizes(evidence):
    return {
        role: len(evidence.table(role)) for role in ("train", "holdout", "reference") if evidence.has(role)
    }


def test_tables_that_are_all_there_are_taken_as_they_are():
    real = Real(numbers(60), numbers(40, 100.0), numbers(30, 200.0))
    seen = look(Given("s", numbers(50, 300.0)), real, request())
    assert seen.released is seen.attacked is seen.informed and seen.findings == ()
    assert sizes(seen.released) == {"train": 60, "holdout": 40, "reference": 30}


def test_half_of_the_holdout_becomes_the_reference_for_those_who_need_one():
    seen = look(Given("s", numbers(50, 300.0)), Real(numbers(60), numbers(40, 100.0)), request())
    assert sizes(seen.attacked) == {"train": 60, "holdout": 40}
    assert sizes(seen.informed) == {"train": 60, "holdout": 20, "reference": 20}
    assert "half of the holdout" in seen.findings[0]


def test_without_a_holdout_the_recipe_is_rehearsed():
    seen = look(Given("s", numbers(50, 300.0)), Real(numbers(100)), request(recipe=Copy()))
    assert sizes(seen.released) == {"train": 100}
    assert sizes(seen.attacked) == {"train": 60, "holdout": 20, "reference": 20}
    assert "rehearsal" in seen.findings[0]
    alone = look(Given("recipe", None), Real(numbers(100)), request(recipe=Copy()))
    assert alone.released is alone.attacked


def test_without_a_holdout_and_a_recipe_it_says_so():
    seen = look(Given("s", numbers(50, 300.0)), Real(numbers(100)), request())
    assert sizes(seen.attacked) == {"train": 100} and "recipe" in seen.findings[0]
    assert "give a holdout, or say how the stand-in was made (--method and --set, or" in seen.findings[0]


@pytest.mark.parametrize("holdout", [None, numbers(40, 100.0)])
def test_a_private_recipe_is_rehearsed_within_the_budget_that_is_claimed(holdout):
    private = Certificate((Entry("sums", "train", Gaussian(0.5)),))
    seen = look(Given("recipe", None, "", private), Real(numbers(400), holdout), request(recipe=MST()))
    assert len(seen.attacked.table("synthetic")) > 0
