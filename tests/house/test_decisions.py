import re

from house.tree import ROOT

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def test_decisions_are_numbered_without_gaps():
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_decision_opens_with_its_number_and_has_a_status():
    for path in DECISIONS:
        first, *rest = path.read_text(encoding="utf-8").splitlines()
        assert first.startswith(f"# {path.name[:4]} "), path.name
        assert any(re.match(r"Status: (accepted|replaced by \d{4})", line) for line in rest[:3]), path.name
