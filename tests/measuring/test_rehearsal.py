"""Evidence with other rows in some roles: the same terms, and a memory of its own."""

import numpy as np

from attacks.shadows_seen import recorded
from understudy.attacks.gan_leaks import GANLeaks
from understudy.measuring.rehearsal import rehearsed, with_reference


def test_the_code_is_the_same_and_what_was_made_for_the_true_tables_is_not_found():
    shown = recorded()
    true = GANLeaks().accuse(shown.coded("train"), shown, np.random.default_rng(0))
    copied = rehearsed(shown, {"synthetic": shown.coded("train")})
    found = GANLeaks().accuse(shown.coded("train"), copied, np.random.default_rng(0))
    assert (found == 0).all() and (true < 0).any()
    assert copied.coding is shown.coding and copied.schema is shown.schema
    assert not copied.has("holdout")


def test_what_is_made_is_kept():
    made = []
    copied = rehearsed(recorded(), {})
    for _ in range(2):
        copied.cached(("it",), lambda: made.append(1))
    assert made == [1]


def test_a_reference_of_real_rows_is_told_in_the_same_code():
    shown = recorded()
    other = with_reference(shown, shown.table("holdout"))
    np.testing.assert_array_equal(other.coded("reference")["ward"], shown.coded("holdout")["ward"])
