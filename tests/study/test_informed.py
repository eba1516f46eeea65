import math

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import UnderstudyError
from understudy.study.informed import HALVED, informed, try_attacks
from understudy.table.evidence import Evidence

TRIED = ("dpi", "gan_leaks")


def table(seed, rows=60):
    return pa.table({"x": np.random.default_rng(seed).normal(size=rows)})


def tried(names=TRIED, **more):
    evidence = Evidence(train=table(0), synthetic=table(1), **more)
    return try_attacks(evidence, names, 0, workers=0, progress=False)


def test_half_of_the_holdout_is_the_reference_of_those_alone_who_need_one():
    dpi, gan_leaks = tried(holdout=table(2))
    assert (dpi.name, gan_leaks.name) == ("privacy.dpi", "privacy.gan_leaks")
    assert not math.isnan(dpi.value) and HALVED in dpi.notes
    assert HALVED not in gan_leaks.notes
    assert gan_leaks.n > dpi.n


@pytest.mark.parametrize("more", [{}, {"holdout": table(2, rows=10)}])
def test_where_there_is_nothing_to_divide_the_attack_stays_undefined(more):
    dpi, _ = tried(**more)
    assert math.isnan(dpi.value) and HALVED not in dpi.notes


def test_a_reference_that_is_given_is_taken():
    assert all(HALVED not in result.notes for result in tried(holdout=table(2), reference=table(3)))
    evidence = Evidence(train=table(0), synthetic=table(1), holdout=table(2), reference=table(3))
    assert informed(evidence, 0) is None


def test_one_kind_of_attack_alone_can_be_tried():
    for name in TRIED:
        (result,) = tried((name,), holdout=table(2))
        assert result.name == f"privacy.{name}"


def test_an_unknown_attack_is_refused():
    with pytest.raises(UnderstudyError, match="nobody"):
        tried(("nobody",), holdout=table(2))
