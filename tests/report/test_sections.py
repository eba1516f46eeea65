"""Sections: everything of a candidate in its place, and counts only for those who may see them."""

import math
import re
from dataclasses import replace

from report import dossiers
from understudy.report.dossier import Line, Points
from understudy.report.sections import sections


def test_every_result_is_in_exactly_one_table():
    found = sections(dossiers.candidate(), confidential=True)
    names = [row.name for _, _, rows in found.questions for row in rows]
    names += [row.name for row in (*found.fidelity, *found.utility)]
    assert sorted(names) == sorted(each.name for each in dossiers.results())


def test_counts_of_rows_and_the_index_of_each_are_confidential():
    shared = sections(dossiers.candidate().shared(), confidential=False)
    internal = sections(dossiers.candidate(), confidential=True)
    rows = {True: internal.fidelity[0].rows, False: shared.fidelity[0].rows}
    assert rows == {True: "3,000", False: ""}
    assert internal.dpi
    assert not shared.dpi
    assert not sections(dossiers.candidate(), confidential=False).dpi


def test_the_attacks_that_find_more_than_chance_are_counted():
    assert sections(dossiers.candidate(), confidential=False).succeeding == (1, 14)
    assert sections(dossiers.refused(), confidential=False).succeeding == (14, 14)


def test_all_four_questions_are_asked_even_where_nothing_was_measured():
    found = sections(dossiers.candidate(results=()), confidential=True)
    assert [question for question, _, _ in found.questions] == [
        "Singling out",
        "Linkability",
        "Inference",
        "Membership",
    ]
    assert found.forests == ()
    assert found.roc == ""


def test_an_audit_of_epsilon_has_an_axis_of_its_own_that_reaches_the_claim():
    audit = replace(
        dossiers.results()[0],
        name="privacy.epsilon_audit",
        value=0.3,
        low=0.3,
        high=math.inf,
        parts={"allowed": 4.0},
    )
    found = sections(dossiers.candidate(results=(*dossiers.results(), audit)), confidential=True)
    assert [each.title for each in found.forests] == ["Every risk on one axis", "Audit of epsilon"]
    assert ">4</text>" in found.forests[1].drawn


def test_the_ledger_and_its_figures_come_from_the_certificate():
    found = sections(dossiers.candidate(), confidential=False)
    assert [read["read"] for read in found.reads] == [entry.what for entry in dossiers.certificate().entries]
    assert dict(found.figures)["mu"] != "no bound"
    none = sections(dossiers.candidate(certificate=None), confidential=False)
    assert (none.reads, none.figures) == ((), ())
    assert dict(sections(dossiers.refused(), confidential=False).figures)["mu"] == "no bound"


def test_a_note_of_most_figures_is_said_once():
    noted = tuple(replace(each, notes=(*each.notes, "1 column is left out")) for each in dossiers.results())
    found = sections(dossiers.candidate(results=noted), confidential=True)
    assert found.everywhere == ("1 column is left out",)
    assert not [row for row in (*found.fidelity, *found.utility) if "1 column is left out" in row.notes]
    assert sections(dossiers.candidate(), confidential=True).everywhere == ()


def test_lines_of_the_policy_have_a_name_in_words():
    line = replace(dossiers.LINES[0], what="privacy.dpi", verdict="broken")
    found = sections(dossiers.candidate(lines=(line,)), confidential=True)
    assert found.lines == (("Data plagiarism index", line),)
    assert found.reasons[0][0].startswith("Data plagiarism index: ")


def test_a_line_and_a_finding_tell_no_count_and_no_fourth_digit_where_they_are_shared():
    line = replace(dossiers.LINES[0], found="0.98765 (0.98701 to 0.98802)")
    some = dossiers.candidate(lines=(line,), findings=("7,351 rows were twice in it",))
    shared = sections(some.shared(), confidential=False).candidate
    assert shared.lines[0].found == "0.988 (0.987 to 0.988)"
    assert shared.findings == ("… rows were twice in it",)
    assert sections(some, confidential=True).candidate == some


def test_real_rows_are_rings_and_synthetic_ones_dots_in_any_order():
    points = ((0.0, 0.0), (1.0, 1.0))
    for labels in (("real rows", "synthetic rows"), ("synthetic rows", "real rows")):
        plane = Points("plane", tuple((label, points) for label in labels), confidential=True)
        drawn = sections(dossiers.candidate(planes=(plane,)), confidential=True).planes[0].drawn
        groups = dict(zip(labels, re.findall("<g ([^>]*)>", drawn), strict=True))
        assert 'fill="none"' in groups["real rows"]
        assert 'fill="var(--' in groups["synthetic rows"]


def test_the_names_of_attacks_are_in_words_in_the_banner_and_in_the_lines():
    line = Line("membership", "at most 0.6", "0.9 (0.8 to 0.95) by gan_leaks, the worst of 9", "broken")
    found = sections(dossiers.candidate(lines=(line,)), confidential=False)
    assert found.reasons[0][1] == found.lines[0][1].found == "0.9 (0.8 to 0.95) by GAN-Leaks, the worst of 9"
    assert found.candidate.findings == ("LOGAN, a forest took longer than was forecast",)


def test_a_certificate_that_cannot_be_relied_on_puts_no_ceiling_above_attackers():
    made = dossiers.candidate(lines=(dossiers.REFUTED,), claim_stands=False)
    found = sections(made, confidential=False)
    assert found.sentence == found.doubt == found.means[0]
    assert "ceiling" in sections(dossiers.candidate(), confidential=False).roc
    assert 'class="ceiling"' not in found.roc
