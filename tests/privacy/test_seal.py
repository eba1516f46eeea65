"""A seal names a part, its hash, and its place in the ledger."""

from __future__ import annotations

import pytest

from understudy.errors import CorruptModel, ParameterError
from understudy.privacy.seal import Seal, seal_from_dict, seal_to_dict

GOOD = Seal("weights", "0a" * 32, 3)


def test_a_seal_survives_being_written_down():
    assert seal_from_dict(seal_to_dict(GOOD)) == GOOD


@pytest.mark.parametrize("parts", [
    ("", "0a" * 32, 3), (" ", "0a" * 32, 3), (None, "0a" * 32, 3), ("w", "0a", 3), ("w", "0A" * 32, 3),
    ("w", "0g" * 32, 3), ("w", None, 3), ("w", "0a" * 32, -1), ("w", "0a" * 32, True), ("w", "0a" * 32, 1.0),
])  # fmt: skip
def test_a_seal_that_says_too_little_is_refused(parts):
    with pytest.raises(ParameterError, match="seal"):
        Seal(*parts)
    with pytest.raises(CorruptModel, match="does not hold what it must"):
        seal_from_dict(dict(zip(("part", "digest", "after"), parts, strict=True)))


@pytest.mark.parametrize("tree", [None, [], {}, {**seal_to_dict(GOOD), "more": 1}, {"part": "w"}])
def test_what_is_no_seal_is_refused(tree):
    with pytest.raises(CorruptModel):
        seal_from_dict(tree)
