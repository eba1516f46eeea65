"""Every synthesizer keeps the contract: the same checks that other people run on their own."""

import pytest

from understudy import synth
from understudy.testing import checks


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", synth.names())
def test_every_synthesizer_keeps_the_contract(name, check):
    check(synth.get(name).small())
