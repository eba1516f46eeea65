import math

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.not_given import is_not_given, not_given


def test_where_no_certificate_was_given_nothing_is_promised():
    assert not_given().status == "none" and not not_given().sound
    assert (not_given().epsilon(), not_given().mu(), not_given().tradeoff(0.01)) == (math.inf, math.inf, 1.0)
    assert "nothing is known" in not_given().entries[0].what


def test_it_is_known_again_after_its_file_and_no_other_is_taken_for_it():
    assert is_not_given(Certificate.from_json(not_given().to_json()))
    assert not is_not_given(Certificate(()))
    assert not is_not_given(Certificate((Entry("all rows", "train"),)))
    assert not is_not_given(Certificate((*not_given().entries, Entry("all rows", "train"))))
