import pytest

from testing.planted import Planted, caught
from understudy.testing import ledger


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (ledger.the_certificate_is_the_ledger, "hides_an_entry", "does not hold the entries"),
        (ledger.rows_that_are_read_are_in_the_ledger, "reads_around_the_vault", "the ledger is empty"),
        (ledger.a_certificate_with_an_infinite_entry_is_not_sound, "claims_soundness", "soundness"),
        (ledger.the_certificate_survives_json, "writes_another_certificate", "changed in JSON"),
        (ledger.a_budget_is_refused_without_a_private_form, "takes_any_budget", "it was accepted"),
        (ledger.a_budget_that_is_none_is_refused, "takes_any_budget", "budget=1.0"),
    ],
)
def test_the_message_says_what_is_wrong_with_the_certificate(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))
