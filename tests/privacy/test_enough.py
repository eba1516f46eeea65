"""What is too little: no epsilon at a usual delta."""

import pytest

from understudy.privacy.certificate import Certificate
from understudy.privacy.enough import no_epsilon
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian, Pure

PAID = Entry("sums", "measure", Gaussian(4.0), because="clipped")


def _with_chance(delta):
    return Certificate((PAID, Entry("a level of one row is told", "schema", Pure(0.0, delta), because="x")))


@pytest.mark.parametrize("chance", [1e-13, 1e-10, 5e-6])
def test_where_an_epsilon_holds_at_a_usual_delta_there_is_nothing_to_say(chance):
    assert no_epsilon(_with_chance(chance)) == ""


def test_where_none_does_the_smallest_round_delta_that_has_one_is_named():
    certificate = _with_chance(0.03)
    epsilon = certificate.epsilon(0.04)
    assert no_epsilon(certificate) == (
        "no epsilon holds at delta 1e-05; the smallest round delta at which one does is 0.04, "
        f"with epsilon {epsilon:.3g}"
    )


def test_rows_read_as_they_are_have_none_at_any_delta():
    assert no_epsilon(Certificate((Entry("all rows", "train"),))).endswith("nor at any up to 0.9")
