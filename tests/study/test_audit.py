"""The audit: a copy is refused, a fresh sample is not, and whatever is wrong with the question is said."""

import pytest

import understudy as us
from study.stand_ins import few, law, tables
from understudy.errors import InputError, ParameterError
from understudy.study.audit import Audit

__all__ = ["few"]


def audited(kind="fresh", **more):
    return us.audit(**tables(kind), level="quick", workers=0, progress=False, **more)


@pytest.fixture(scope="module")
def fresh():
    return audited()


def test_a_copy_is_refused_and_a_fresh_sample_is_not(fresh):
    copy = audited("copy")
    assert copy.standing == "refused" and fresh.standing != "refused"
    broken = {line.what for line in copy.candidates[0].lines if line.verdict == "broken"}
    assert {"membership", "privacy.linkability", "privacy.identical_match"} <= broken


@pytest.mark.usefixtures("few")
def test_half_a_copy_is_refused_too():
    assert audited("half").standing == "refused"


def test_results_are_found_by_name(fresh):
    assert fresh["privacy.dpi"].name == "privacy.dpi"
    assert 0.3 < fresh["privacy.dpi"].value < 0.7
    assert {result.name.split(".")[0] for result in fresh.results} >= {"fidelity", "privacy"}
    with pytest.raises(ParameterError, match="no result"):
        fresh["privacy.mds"]


@pytest.mark.usefixtures("few")
def test_a_copy_without_a_holdout_is_refused_for_its_rows():
    train = law(0)
    found = us.audit(train=train, synthetic=train, level="quick", workers=0, progress=False)
    assert found.standing == "refused"
    fresh = us.audit(train=train, synthetic=law(1), level="quick", workers=0, progress=False)
    assert fresh.standing == "undecided"  # attacks could not be tried


@pytest.mark.usefixtures("few")
def test_several_candidates_stand_side_by_side():
    shown = tables()
    shown["synthetic"] = [shown["synthetic"], shown["train"]]
    found = us.audit(**shown, level="quick", workers=0, progress=False)
    assert [candidate.standing == "refused" for candidate in found.candidates] == [False, True]
    assert found.standing == found.candidates[0].standing
    assert len(found.results) == 2 * len(found.candidates[0].results)
    with pytest.raises(ParameterError, match="2 candidates"):
        found["privacy.dpi"]


@pytest.mark.usefixtures("few")
def test_the_same_seed_gives_the_same_scores():
    one, again = (audited("half").results for _ in range(2))
    assert [result.value for result in one] == [result.value for result in again]


@pytest.mark.usefixtures("few")
def test_a_policy_of_ones_own_decides(tmp_path):
    policy = tmp_path / "p.toml"
    policy.write_text('name = "ours"\n[[rule]]\nwhat = "epsilon"\nat_most = 1\n', encoding="utf-8")
    found = audited(policy=policy)
    assert found.standing == "refused" and found.dossier.policy == "ours"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"level": "deep"}, ParameterError),
        ({"seed": -1}, ParameterError),
        ({"recipe": "absent"}, ParameterError),
        ({"synthetic": None}, InputError),
        ({"train": None}, InputError),
        ({"policy": "absent.toml"}, ParameterError),
        ({"certificate": "absent.json"}, InputError),
        ({"train": "absent.csv"}, InputError),
    ],
)
def test_wrong_questions_are_refused_before_anything_runs(changed, error):
    asked = {**tables(), "level": "quick", "workers": 0, "progress": False, **changed}
    with pytest.raises(error):
        us.audit(**asked)


def test_it_shows_itself_in_a_notebook(fresh):
    assert isinstance(fresh, Audit)
    assert "Singling out" in fresh._repr_html_()


@pytest.mark.usefixtures("few")
def test_a_recipe_alone_is_judged_by_a_rehearsal():
    found = us.audit(train=law(0), recipe="copy", level="quick", workers=0, progress=False)
    assert found.standing == "refused"
    assert "rehearsal" in found.candidates[0].findings[0]


@pytest.mark.usefixtures("few")
def test_a_copy_is_refused_even_if_a_harmless_recipe_is_named():
    train = law(0)
    asked = {"train": train, "recipe": "histogram", "level": "quick", "workers": 0, "progress": False}
    assert us.audit(synthetic=train, **asked).standing == "refused"
    fresh = us.audit(synthetic=law(1), **asked).candidates[0]
    assert any(line.what == "rehearsal" and line.verdict == "unsure" for line in fresh.lines)
