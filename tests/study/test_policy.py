"""Policies: read from TOML, refused with the line that is wrong, in words that a reader understands."""

import pytest

from understudy.errors import ParameterError
from understudy.study.policy import Policy, Rule, default_policy, load_policy, policy_of

GOOD = """
name = "ours"
strict = true

[[rule]]
what = "epsilon"
at_most = 3
delta = 1e-6
source = "board, 2026"

[[rule]]
what = "fidelity.wasserstein"
of = "ratio"
at_most = 2.5
"""


def written(folder, text):
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_says_what_it_says(tmp_path):
    found = load_policy(written(tmp_path, GOOD))
    assert found.name == "ours" and found.strict
    assert found.rules[0] == Rule("epsilon", at_most=3, delta=1e-6, source="board, 2026")
    assert [rule.asks() for rule in found.rules] == [
        "at most 3 at delta 1e-06",
        "at most 2.5 times what real rows score",
    ]
    assert policy_of(str(tmp_path / "policy.toml")) == found


def test_a_file_without_a_name_is_called_after_itself(tmp_path):
    assert load_policy(written(tmp_path, '[[rule]]\nwhat = "gdpr"\nat_most = 1')).name == "policy.toml"


def test_the_default_speaks_of_privacy_alone_and_names_its_sources():
    rules = default_policy().rules
    assert all(rule.what.startswith(("guarantee", "privacy.", "membership")) for rule in rules)
    assert all(rule.source and rule.because for rule in rules)
    assert policy_of(None) == default_policy()


def test_what_counts_as_a_guarantee_is_the_policys_to_say(tmp_path):
    text = '[[rule]]\nwhat = "guarantee"\nat_least = 1\n'
    assert load_policy(written(tmp_path, text)).rules[0].ceiling == 10
    (rule,) = load_policy(written(tmp_path, f"{text}epsilon_at_most = 3")).rules
    assert rule.ceiling == 3 and rule.asks().endswith("with epsilon at most 3")
    assert default_policy().rules[0].epsilon_at_most == 10


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what = ", "TOML"),
        ("name = 'x'", "no rules"),
        ("rule = 3", "no rules"),
        ("rule = [3]", "no rules"),
        ("[[rule]]\nat_most = 1", "what"),
        ("[[rule]]\nwhat = 'gdpr'", "at_most or at_least"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = 1\nat_least = 0", "not both"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = 'much'", "number"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = true", "number"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = nan", "number"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = 1\nof = 'most'", "ratio"),
        ("[[rule]]\nwhat = 'epsilon'\nat_most = 1\ndelta = 0", "delta"),
        ("[[rule]]\nwhat = 3\nat_most = 1", "text"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = 1\nlimit = 2", "'limit'"),
        ("[[rule]]\nwhat = 'gdpr'\nat_most = 1\n[other]", "'other'"),
        ("[[rule]]\nwhat = 'privacy.singling_ot'\nat_most = 1", "nothing measures"),
        ("[[rule]]\nwhat = 'membership.tpr_at_fpr_0.03'\nat_most = 1", "tpr_at_fpr_0.02"),
        ("[[rule]]\nwhat = 'epsilon'\nat_most = 1\nof = 'ratio'", "no null"),
        ("[[rule]]\nwhat = 'guarantee'\nat_most = 1", "at_least = 1"),
        ("[[rule]]\nwhat = 'guarantee'\nat_least = 1\nepsilon_at_most = 0", "epsilon_at_most must be > 0"),
        ("[[rule]]\nwhat = 'guarantee'\nat_least = 1\nepsilon_at_most = 'ten'", "number"),
        ("[[rule]]\nwhat = 'epsilon'\nat_most = 1\nepsilon_at_most = 2", "belongs to a rule of 'guarantee'"),
        ("strict = 1\n[[rule]]\nwhat = 'gdpr'\nat_most = 1", "strict"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(tmp_path, text, word):
    with pytest.raises(ParameterError, match="policy") as caught:
        load_policy(written(tmp_path, text))
    assert word in str(caught.value)


def test_files_that_cannot_be_policies_are_refused(tmp_path):
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    (tmp_path / "huge").write_bytes(b"#" * (2**20 + 1))
    for name in ("latin", "huge", "absent"):
        with pytest.raises(ParameterError, match="policy"):
            load_policy(tmp_path / name)
    with pytest.raises(ParameterError, match="TOML"):
        policy_of(3)
    assert policy_of(Policy("p", ())).rules == ()
