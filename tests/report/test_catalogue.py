"""The catalogue of a report: it knows every measure there is, and what its adversary has."""

import math

import understudy as us
from understudy.report.catalogue import QUESTIONS, asked, known, under, worded
from understudy.result import Result


def test_every_attack_stands_under_a_question_of_the_opinion():
    for name in us.attacks.names():
        about = known(f"privacy.{name}")
        assert about.question in QUESTIONS, name
        assert about.question != "Other checks", name
        assert about.had, name


def test_every_measure_has_a_name_in_words():
    for name in us.metrics.names():
        title = us.metrics.get(name).title()
        assert known(title).label != title


def test_an_adversary_who_needs_other_real_rows_is_said_to_have_them():
    for name in us.attacks.names():
        if "reference" in getattr(us.attacks.get(name), "sees", ()):
            assert "other real rows" in known(f"privacy.{name}").had, name


def test_a_measure_of_tomorrow_keeps_its_name():
    assert known("privacy.of_tomorrow").label == "privacy.of_tomorrow"
    assert known("fidelity.of_tomorrow").question == ""


def test_the_largest_risk_is_first_and_what_was_not_measured_last():
    made = [
        Result(f"privacy.{name}", value, value, value, 0.5, better, saw_real_rows=True)
        for name, value, better in [
            ("dpi", 0.5, "lower"),
            ("mia", math.nan, "lower"),
            ("dcr", 0.9, "null"),
            ("mc", 0.6, "lower"),
        ]
    ]
    assert [each.name for each in under("Membership", tuple(made))] == [
        "privacy.mc",
        "privacy.dpi",
        "privacy.dcr",
        "privacy.mia",
    ]


def test_a_line_of_a_policy_is_told_in_words():
    assert asked("privacy.singling_out") == known("privacy.singling_out").label
    assert asked("privacy.dpi.advantage") == "Data plagiarism index, advantage"
    assert asked("membership") == "Strongest membership attack"
    assert asked("membership_of_a_club") == "membership_of_a_club"


def test_the_names_in_what_was_found_are_in_words_and_new_ones_stay():
    assert worded("0.2 by gan_leaks, the worst of 16, 1 not judged") == (
        "0.2 by GAN-Leaks, the worst of 16, 1 not judged"
    )
    assert worded("privacy.epsilon_audit bounds epsilon from below by 9") == (
        "Audit of epsilon bounds epsilon from below by 9"
    )
    assert worded("privacy.of_tomorrow: by chance, the worst") == "privacy.of_tomorrow: by chance, the worst"
